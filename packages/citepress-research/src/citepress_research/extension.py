"""What the kinds of a research log add to citepress."""

from citepress.extension import Extension, FrontPart

EXTENSION = Extension(
    name="research",
    kinds="citepress_research.kinds:ALL",
    registries="citepress_research.kinds:REGISTRIES",
    documents="citepress_research.pages:ALL",
    operations="citepress_research.operations:ALL",
    fault_codes="citepress_research.fault_codes:ALL",
    front_parts=(
        FrontPart("forecasts", "citepress_research.pages.front:forecasts", before="collections"),
        FrontPart("contested", "citepress_research.pages.front:contested", before="collections"),
    ),
    starters="citepress_research",
)
