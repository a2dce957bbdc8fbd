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

LONG_FIELDS: dict[str, tuple[str, ...]] = {
    "cooking": (
        "What methods are there to control the temperature of a large piece of meat during cooking?",
        "A general description of the principles by which a dough rises, and of the effect of time on the result",
        "Which types of flour give the best results in bread, and why are the differences between them so large?",
        "Using an oven and a pan together reduces the time that is needed and improves the structure of a crust",
    ),
    "gardening": (
        "What is the effect of the number of hours of light on the growth of young plants, and how can it be measured?",
        "Systems for the distribution of water in a small garden, their design, cost and use in a dry summer",
        "Is there a simple test to determine whether the soil of a vegetable bed has the right balance of minerals?",
        "Cutting a hedge at the end of winter produces a higher density of leaves than cutting it in the summer",
    ),
    "medicine": (
        "What data exist on the relation between age and the rate of recovery after an operation on the hip?",
        "Comparison of two methods for the early detection of disease of the kidney in a general population",
        "How do doctors decide which of several treatments of high blood pressure is right for a given patient?",
        "Low doses of aspirin over a long period reduce the number of heart attacks in older men",
    ),
    "history": (
        "What was the role of the guilds in the development of large cities, and how did their power change over time?",
        "Sources and methods for the study of the economic conditions of peasants in eastern Europe before the plague",
        "To what extent did the structure of the Roman army influence the form of government in the provinces?",
        "The production of wool was a more important factor in the growth of Florence than the activity of its banks",
    ),
    "astronomy": (
        "How is the distance of a star computed from its apparent position at different times of the year?",
        "Theoretical models of the formation of planets, with a discussion of the problem of the loss of gas",
        "What is known about the chemical composition of the moons of Jupiter, and how was it determined?",
        "Observations at several wavelengths show that the rate of star formation was higher in the early universe",
    ),
    "sport": (
        "What are the relative advantages of different systems of training for runners of long distances?",
        "An analysis of the performance of teams that play at home, and of the factors that may explain it",
        "How should the schedule of a league be designed so that each club has the same number of days of rest?",
        "Swimmers who use a high rate of strokes in the first part of a race have a lower speed at the end",
    ),
    "music": (
        "What is the relation between the length of a string, its tension and the pitch of the tone that it produces?",
        "The problem of writing down rhythm in early church music, and the various solutions that have been proposed",
        "How can a choir with a small number of voices be arranged in a hall so that the sound is balanced?",
        "Children who learn an instrument at an early age recognise intervals with a higher accuracy",
    ),
    "law": (
        "Under what conditions can a contract between two parties be changed by one of them, and with what effect?",
        "A comparison of the methods by which courts in different countries determine the amount of damages",
        "What information must a landlord give to a tenant before the rent of a flat can be raised?",
        "The use of written evidence alone leads to shorter trials but to a larger number of appeals",
    ),
    "economics": (
        "How can the effect of a change in taxes on the demand for housing be separated from the effect of income?",
        "Models of the relation between the quantity of money and the level of prices, and tests of them on data",
        "What are the principal reasons for differences of productivity between large and small farms?",
        "The introduction of a common currency increased trade between its members less than had been expected",
    ),
    "biology": (
        "What mechanisms control the number of offspring of birds in years in which the supply of food is low?",
        "Methods of measuring the flow of water and sugar in the stem of a tree, their accuracy and their limits",
        "How do the cells of an embryo obtain the information about the position in which they are?",
        "Populations of fish in isolated lakes show a smaller variation in body size than those in rivers",
    ),
    "travel": (
        "What is the best way to plan a journey by several trains when the time for changing between them is short?",
        "A general guide to the cost of living for visitors of the main cities of South America",
        "Are there any routes through the mountains that can be used by families with small children in the spring?",
        "Visitors who book their room late pay a higher price in the high season, but not during the rest of the year",
    ),
    "cars": (
        "How does the pressure in the tyres affect the distance that a car needs to stop on a wet road?",
        "Design of the cooling system of a petrol engine, and what can be done about a high temperature in traffic",
        "Which parts of an old gearbox should be checked and replaced first when there is noise in the second gear?",
        "The use of a lighter body reduces the consumption of fuel more than a change of the shape of the car",
    ),
    "literature": (
        "What techniques do authors of short stories use to present the thoughts of a character to the reader?",
        "The development of the historical novel as a form, with special reference to national politics",
        "How should a translator deal with words that have no equivalent in the language of the reader?",
        "The structure of the later plays is less regular than that of the early ones, but their verse is more free",
    ),
    "geology": (
        "How can the age of a layer of rock be determined if it does not contain any material that can be dated?",
        "Processes that control the distribution of sand along a coast, and mathematical models of them",
        "What is the relation between the depth of an earthquake and the damage that it does at the surface?",
        "The flow of water under a glacier has a larger effect on its speed than the temperature of the air",
    ),
    "parenting": (
        "What is the effect of the number of books in a home on the development of the language of small children?",
        "Methods by which parents can help a child that has problems with going to bed at a regular time",
        "How much information about a divorce should be given to children of different ages, and by whom?",
        "Babies who are carried for several hours a day cry less in the first three months of their life",
    ),
    "chemistry": (
        "How does the rate of a reaction between two gases depend on the area of the surface of the catalyst?",
        "Methods for the separation of mixtures of liquids whose boiling points are close together, and their cost",
        "What determines the structure of the crystals that form when a solution of a salt is cooled slowly?",
        "The addition of a small amount of acid increases the stability of the colour of the solution",
    ),
}
"""The same fields in whole sentences, with the general words (method, effect, system) that any field uses."""
