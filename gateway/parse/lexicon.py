"""Words that the patterns tell apart: what can be no thing and no name, occupations, languages, demonyms, kin and animals."""

# Words with which the name of a thing never begins.
NOT_A_THING = frozenset({
    "i", "of", "alone", "standing", "clearly", "obviously", "apparently", "it", "this", "that", "these", "those", "you",
    "him", "her", "them", "me", "us", "he", "she", "they", "we", "there", "here", "everything", "anything", "something",
    "nothing", "your", "my", "his", "its", "our", "their", "how", "when", "what", "why", "who", "whom", "which", "all",
    "both", "so", "to", "being", "having", "doing", "not", "very", "really", "too", "much", "more", "most", "hope", "fear",
    "peace", "denial", "hell", "heaven", "limbo", "hiding", "constant", "love", "life", "mind", "spirit", "touch", "time",
    "way", "lot", "lots", "kind", "sort", "it's", "that's", "whatever", "whoever", "wherever", "if", "whether", "hate",
    "dislike", "enjoy", "don't", "can't", "cannot", "am", "live", "works", "work", "have", "had", "need", "want", "use",
    "think", "would", "will", "speak", "prefer", "been", "they're", "we're", "you're", "he's", "she's", "i'm", "i've", "get",
    "gets", "make", "makes", "go", "goes", "put", "puts", "take", "takes", "keep", "keeps", "give", "gives",
})  # fmt: skip

# Words that make a phrase something else than a thing: quantities, denials, degrees, directions.
NEVER_IN_A_THING = frozenset({
    "no", "none", "nothing", "nobody", "someone", "somebody", "something", "anyone", "anybody", "anything", "everyone",
    "everybody", "everything", "any", "some", "almost", "hardly", "barely", "nearly", "longer", "less", "fewer", "sometimes",
    "often", "always", "never", "else", "third", "half", "neither", "nor", "up", "down", "out", "around", "still", "not",
    "yet", "maybe", "perhaps", "each", "every", "least", "again", "ever", "later", "soon", "back", "away", "hates", "loves",
    "likes", "prefers", "dislikes", "lives", "works", "anymore", "anymore.", "apparently", "clearly", "obviously", "mostly",
    "said",
})  # fmt: skip

# Words with a capital that name no person, place or organisation.
NEVER_A_NAME = frozenset({
    "yesterday", "today", "tomorrow", "tonight", "now", "then", "later", "soon", "often", "always", "never", "sometimes",
    "once", "again", "back", "anytime", "whenever", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
    "sunday", "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december", "spring", "summer", "autumn", "winter", "one", "two", "three", "four", "five", "six", "seven", "eight",
    "nine", "ten", "free", "fun", "money", "rule", "marketing", "sales", "finance", "engineering", "accounting", "legal",
    "operations", "product", "design", "management", "retirement", "english", "scottish", "irish", "welsh", "british",
    "american", "canadian", "mexican", "brazilian", "german", "french", "spanish", "portuguese", "italian", "greek",
    "turkish", "russian", "polish", "czech", "hungarian", "romanian", "swedish", "norwegian", "danish", "finnish", "dutch",
    "belgian", "swiss", "austrian", "chinese", "japanese", "korean", "indian", "pakistani", "thai", "vietnamese",
    "australian", "african", "asian", "european", "arab", "jewish", "muslim", "christian", "catholic", "hindu", "buddhist",
    "deaf", "blind", "pregnant", "dead", "alive", "tired", "sick", "ill", "happy", "sad", "busy", "single", "married",
    "divorced", "gay", "vegan", "vegetarian", "hungry", "sorry", "sure", "fine", "okay", "ok", "good", "bad", "great",
    "home", "work", "here", "there", "this", "that", "these", "those", "the", "my", "your", "his", "her", "our", "their",
    "its", "it", "he", "she", "they", "we", "you", "who", "what", "when", "where", "why", "how", "if", "and", "but", "or",
    "so", "because", "not", "no", "yes", "nothing", "everything", "nobody", "everybody", "everyone", "someone", "somebody",
    "anybody", "anyone", "please", "thanks", "thank", "hello", "hi", "hey", "well", "oh", "also", "apparently", "honestly",
    "actually", "maybe", "perhaps", "mondays", "fridays", "weekends", "christmas", "easter", "halloween", "thanksgiving",
    "i", "i'm", "i've", "goodbye", "bye", "came", "moved", "started", "joined", "sold", "bought", "visited", "watched",
    "adopted", "got", "quit", "left", "reading", "love", "silence", "experience", "coffee", "music", "karma", "time", "life",
    "god", "jesus", "satan", "batman", "google", "necessity", "honesty", "patience", "practice", "nature", "knowledge",
    "angry", "right", "wrong", "late", "cheap", "lost", "friendly", "scared", "missing", "broken", "delicious", "useless",
    "expensive", "evil", "autistic", "trans", "republican", "democrat", "navy", "labour", "online", "unknown", "crazy",
    "cynical", "drunk", "mud", "bus", "train", "car", "bike", "gut", "old-fashioned", "benefits", "regret", "hiv", "over",
    "names", "whatever", "stupid", "logitech", "mum", "mom", "dad", "grandma", "grandpa", "granny", "mummy", "daddy", "me",
    "lie", "rumor", "rumour", "crush", "zoom", "covid", "debt", "sin", "captivity", "housekeeping", "invention's", "lonely",
    "alone",
})  # fmt: skip

LANGUAGES = frozenset({
    "english", "german", "french", "spanish", "portuguese", "italian", "greek", "turkish", "russian", "polish", "czech",
    "hungarian", "romanian", "swedish", "norwegian", "danish", "finnish", "dutch", "chinese", "mandarin", "cantonese",
    "japanese", "korean", "thai", "vietnamese", "irish", "welsh", "gaelic", "catalan", "basque", "galician", "arabic",
    "hebrew", "farsi", "persian", "hindi", "urdu", "bengali", "punjabi", "tamil", "telugu", "marathi", "gujarati", "swahili",
    "amharic", "yoruba", "igbo", "zulu", "afrikaans", "ukrainian", "belarusian", "bulgarian", "serbian", "croatian",
    "bosnian", "slovene", "slovenian", "slovak", "lithuanian", "latvian", "estonian", "icelandic", "albanian", "macedonian",
    "armenian", "georgian", "kazakh", "uzbek", "mongolian", "tibetan", "nepali", "burmese", "khmer", "lao", "malay",
    "indonesian", "tagalog", "filipino", "esperanto", "latin", "sanskrit", "luxembourgish", "flemish", "maltese", "yiddish",
    "creole", "quechua",
})  # fmt: skip

DEMONYMS = frozenset({
    "english", "scottish", "irish", "welsh", "british", "american", "canadian", "mexican", "brazilian", "argentinian",
    "chilean", "peruvian", "colombian", "german", "french", "spanish", "portuguese", "italian", "greek", "turkish",
    "russian", "ukrainian", "polish", "czech", "slovak", "hungarian", "romanian", "bulgarian", "serbian", "croatian",
    "slovenian", "swedish", "norwegian", "danish", "finnish", "icelandic", "dutch", "belgian", "swiss", "austrian",
    "chinese", "japanese", "korean", "indian", "pakistani", "bangladeshi", "thai", "vietnamese", "indonesian", "malaysian",
    "filipino", "australian", "nigerian", "kenyan", "ghanaian", "ethiopian", "egyptian", "moroccan", "tunisian", "algerian",
    "israeli", "lebanese", "syrian", "iranian", "iraqi", "cuban", "jamaican", "estonian", "latvian", "lithuanian",
})  # fmt: skip

DIETS = frozenset({
    "vegetarian", "vegan", "pescatarian", "pescetarian", "flexitarian", "plant-based", "gluten-free", "keto", "halal",
    "kosher", "dairy-free", "lactose-free",
})  # fmt: skip

# Health conditions that plain words name; what one is described as having.
CONDITIONS = frozenset({
    "asthma", "diabetes", "type 1 diabetes", "type 2 diabetes", "epilepsy", "celiac disease", "coeliac disease", "arthritis",
    "migraine", "migraines", "adhd", "autism", "dyslexia", "hypertension", "high blood pressure", "depression", "anxiety",
    "eczema", "psoriasis", "ibs", "crohn's disease", "lupus", "endometriosis", "insomnia", "tinnitus", "hay fever",
    "scoliosis", "anemia", "anaemia", "osteoporosis", "glaucoma", "multiple sclerosis", "parkinson's", "a heart condition",
    "sleep apnea", "sleep apnoea", "rheumatoid arthritis", "fibromyalgia", "hypothyroidism", "ocd", "ptsd",
    "bipolar disorder",
})  # fmt: skip

# Health conditions that one is described as being.
CONDITION_WORDS = frozenset({
    "lactose intolerant", "gluten intolerant", "celiac", "coeliac", "diabetic", "asthmatic", "epileptic", "colour-blind",
    "color-blind", "colour blind", "color blind", "colorblind", "autistic", "dyslexic", "deaf", "blind",
})  # fmt: skip

SUBJECTS_OF_STUDY = frozenset({
    "physics", "chemistry", "biology", "maths", "mathematics", "math", "medicine", "law", "history", "philosophy",
    "economics", "literature", "english literature", "psychology", "sociology", "computer science", "engineering",
    "mechanical engineering", "civil engineering", "electrical engineering", "architecture", "linguistics", "geography",
    "geology", "nursing", "business", "accounting", "finance", "marketing", "music", "art", "fine arts", "design",
    "graphic design", "journalism", "politics", "political science", "international relations", "anthropology",
    "archaeology", "astronomy", "biochemistry", "statistics", "data science", "pharmacy", "dentistry", "veterinary medicine",
    "theology", "education", "environmental science",
})  # fmt: skip

# Heads of what somebody works as.
OCCUPATIONS = frozenset({
    "accountant", "actor", "actress", "actuary", "administrator", "advisor", "adviser", "analyst", "animator",
    "archaeologist", "architect", "archivist", "artist", "assistant", "astronomer", "astrophysicist", "athlete", "attorney",
    "auditor", "author", "baker", "banker", "barber", "barista", "barrister", "bartender", "beautician", "biologist",
    "blacksmith", "bookkeeper", "bookseller", "bricklayer", "broker", "builder", "butcher", "buyer", "captain", "caregiver",
    "carer", "caretaker", "carpenter", "cashier", "ceramicist", "chef", "chemist", "chiropractor", "choreographer",
    "cleaner", "clerk", "coach", "cobbler", "coder", "comedian", "composer", "conductor", "conservator", "consultant",
    "contractor", "cook", "coordinator", "copywriter", "counsellor", "counselor", "courier", "curator", "dancer", "dealer",
    "decorator", "dentist", "dermatologist", "designer", "detective", "developer", "dietitian", "dietician", "diplomat",
    "director", "diver", "doctor", "dramatist", "driver", "drummer", "economist", "editor", "electrician", "engineer",
    "entrepreneur", "epidemiologist", "esthetician", "estimator", "farmer", "filmmaker", "financier", "firefighter",
    "fisherman", "florist", "footballer", "forester", "freelancer", "gardener", "geographer", "geologist", "glazier",
    "goldsmith", "guard", "guide", "guitarist", "gynaecologist", "hairdresser", "handyman", "historian", "housekeeper",
    "hygienist", "illustrator", "importer", "inspector", "instructor", "interpreter", "inventor", "investigator", "investor",
    "janitor", "jeweller", "jeweler", "joiner", "journalist", "judge", "keeper", "labourer", "landlord", "landscaper",
    "lawyer", "lecturer", "librarian", "lifeguard", "linguist", "lobbyist", "locksmith", "machinist", "magician", "manager",
    "marketer", "masseur", "masseuse", "mathematician", "mechanic", "meteorologist", "midwife", "milkman", "miner",
    "minister", "model", "musician", "nanny", "neurologist", "neurosurgeon", "novelist", "nurse", "nutritionist",
    "oncologist", "operator", "optician", "optometrist", "orthodontist", "osteopath", "painter", "paralegal", "paramedic",
    "pastor", "pathologist", "pediatrician", "paediatrician", "pharmacist", "philosopher", "photographer", "physician",
    "physicist", "physiotherapist", "pianist", "pilot", "plasterer", "plumber", "podiatrist", "poet", "policeman",
    "policewoman", "politician", "porter", "postman", "potter", "priest", "principal", "printer", "producer", "professor",
    "programmer", "proofreader", "psychiatrist", "psychologist", "psychotherapist", "publicist", "publisher", "rabbi",
    "radiographer", "radiologist", "ranger", "realtor", "receptionist", "recruiter", "referee", "reporter", "researcher",
    "restorer", "roofer", "sailor", "salesman", "salesperson", "saleswoman", "scientist", "sculptor", "seamstress",
    "secretary", "server", "sheriff", "shepherd", "shopkeeper", "singer", "smith", "worker", "sociologist", "soldier",
    "solicitor", "sommelier", "songwriter", "specialist", "statistician", "steward", "stewardess", "stonemason",
    "strategist", "stockbroker", "supervisor", "surgeon", "surveyor", "tailor", "tattooist", "teacher", "technician",
    "technologist", "tester", "therapist", "trader", "trainer", "translator", "tutor", "undertaker", "underwriter",
    "upholsterer", "valet", "vet", "veterinarian", "violinist", "vicar", "waiter", "waitress", "warden", "watchmaker",
    "weaver", "welder", "winemaker", "writer", "zoologist", "ceo", "cto", "cfo", "coo", "ciso", "cmo", "officer",
    "president", "founder", "co-founder", "intern", "trainee", "apprentice", "postdoc", "lead", "chairman", "chairwoman",
    "partner", "agent",
})  # fmt: skip

# With these before it an occupation is no occupation.
NOT_ONE_OCCUPATION = frozenset({
    "good", "great", "bad", "terrible", "real", "true", "natural", "big", "heavy", "light", "early", "late", "fast", "slow",
    "former", "ex", "wannabe", "aspiring", "would-be", "born", "better", "worse", "best", "worst", "sore", "team", "hard",
    "fellow", "future", "closet", "bit", "of", "retired", "failed", "unemployed", "not", "in", "fake", "pretend",
})  # fmt: skip

ANIMALS = frozenset({
    "dog", "cat", "puppy", "kitten", "bird", "rabbit", "bunny", "hamster", "horse", "pony", "parrot", "budgie", "fish",
    "goldfish", "tortoise", "turtle", "guinea pig", "ferret", "snake", "lizard", "gecko", "canary", "rat", "mouse", "pet",
    "donkey", "goat",
})  # fmt: skip

BREEDS = frozenset({
    "labrador", "golden retriever", "border collie", "poodle", "beagle", "dachshund", "german shepherd", "bulldog",
    "french bulldog", "terrier", "jack russell", "cocker spaniel", "springer spaniel", "spaniel", "greyhound", "whippet",
    "corgi", "husky", "chihuahua", "rottweiler", "boxer", "dalmatian", "great dane", "pug", "maltese", "shih tzu",
    "labradoodle", "cockapoo", "mongrel", "siamese", "maine coon", "ragdoll", "british shorthair", "tabby", "persian",
    "sphynx", "bengal", "norwegian forest cat", "lab",
})  # fmt: skip

# Two words with a joiner that name one thing.
FIXED_PAIRS = frozenset({
    "rock and roll", "mac and cheese", "fish and chips", "arts and crafts", "bread and butter", "peace and quiet",
    "black and white", "drum and bass", "r and b", "dungeons and dragons", "bed and breakfast", "trial and error",
    "salt and vinegar", "gin and tonic", "track and field", "meat and potatoes", "peanut butter and jelly",
    "biscuits and gravy", "ham and cheese", "cream and sugar",
})  # fmt: skip

# What one moves to, is in or goes to, and does not live in or visit.
NOT_A_PLACE = frozenset({
    "slack", "postgres", "postgresql", "android", "ios", "windows", "linux", "macos", "mac", "ubuntu", "pro", "gmail",
    "proton", "spotify", "tidal", "java", "kotlin", "python", "rust", "excel", "vim", "emacs", "docker", "kubernetes",
    "jira", "github", "gitlab", "twitter", "facebook", "instagram", "netflix", "telegram", "discord", "whatsapp", "squalor",
    "sin", "pyjamas", "pajamas", "jeans", "pain", "poverty", "crocs", "tears", "bits", "trouble", "bed", "mass", "lunch",
    "dinner", "jail", "prison", "school", "church", "court", "hell", "heaven", "love", "debt", "hospital", "hamlet",
    "slytherin", "wikipedia", "night", "height", "peace", "fear", "luxury", "denial", "shock", "harmony", "silence",
    "comfort", "sales", "marketing", "engineering", "management", "finance", "accounting", "design", "retirement",
})  # fmt: skip

# Sports and games that are played.
GAMES = frozenset({
    "tennis", "football", "soccer", "basketball", "volleyball", "handball", "hockey", "cricket", "rugby", "golf", "squash",
    "badminton", "chess", "poker", "bridge", "darts", "snooker", "pool", "go", "baseball", "softball", "padel",
    "table-tennis", "lacrosse", "polo", "bowls", "videogames", "backgammon", "scrabble", "minecraft", "d&d",
})  # fmt: skip
