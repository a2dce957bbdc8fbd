"""Questions from many fields, which the coverage verdict of most archives must not call covered.

The field that an archive rates highest may be its own and is left out (``calibration.py``).
"""

FIELDS: dict[str, tuple[str, ...]] = {
    "cooking": (
        "how long should sourdough rest before baking",
        "substitute for buttermilk in pancakes",
        "why did my hollandaise sauce split",
        "best cut of beef for slow braising",
    ),
    "gardening": (
        "when to prune apple trees",
        "how to treat powdery mildew on roses",
        "companion plants for tomatoes",
        "soil acidity for blueberries",
    ),
    "medicine": (
        "side effects of long term statin use",
        "treatment of acute appendicitis in children",
        "vaccination schedule for measles",
        "risk factors for type 2 diabetes",
    ),
    "history": (
        "causes of the Thirty Years War",
        "trade routes of the Hanseatic League",
        "fall of Constantinople in 1453",
        "land reform under Diocletian",
    ),
    "astronomy": (
        "mass of a white dwarf before collapse",
        "how are exoplanets found by transit",
        "rings of Saturn composition",
        "redshift of distant quasars",
    ),
    "sport": (
        "offside rule in football explained",
        "training plan for a first marathon",
        "grip of a tennis backhand",
        "scoring of decathlon events",
    ),
    "music": (
        "fingering of the B flat clarinet scale",
        "counterpoint in Bach fugues",
        "tuning a guitar to open G",
        "history of the string quartet",
    ),
    "law": (
        "notice period for ending a residential lease",
        "inheritance rights of stepchildren",
        "when is a verbal contract binding",
        "custody of children after divorce",
    ),
    "economics": (
        "effect of minimum wage on youth employment",
        "how central banks set interest rates",
        "elasticity of demand for petrol",
        "currency pegs and inflation",
    ),
    "biology": (
        "migration of Arctic terns",
        "photosynthesis in desert succulents",
        "enzyme kinetics of trypsin",
        "mitochondrial inheritance in mammals",
    ),
    "travel": (
        "night trains from Vienna to Rome",
        "visa rules for a stay in Japan",
        "hiking huts in the Dolomites",
        "best month for northern lights",
    ),
    "cars": (
        "how often to change brake fluid",
        "diesel particulate filter regeneration",
        "winter tyres on rear wheel drive",
        "timing belt replacement interval",
    ),
    "literature": (
        "unreliable narrator in Victorian novels",
        "metre of the Divine Comedy",
        "translations of Beowulf compared",
        "symbolism in Moby Dick",
    ),
    "geology": (
        "formation of basalt columns",
        "dating of zircon crystals",
        "subduction beneath the Andes",
        "limestone caves and karst springs",
    ),
    "parenting": (
        "when do babies sleep through the night",
        "weaning onto solid food",
        "screen time for toddlers",
        "helping a child with stuttering",
    ),
    "chemistry": (
        "boiling point of azeotropic ethanol",
        "catalysts for ammonia synthesis",
        "colour of copper complexes",
        "titration of weak acids",
    ),
}
