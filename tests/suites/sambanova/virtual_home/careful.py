"""Programs that careful people wrote for test activities, from the query and the functions alone.

Several ways for each: walking for finding, other orders, steps more or less. A step is a function and its
objects, with semicolons between steps.
"""

from __future__ import annotations

PROGRAMS: dict[int, list[str]] = {
    0: [
        "WalkTo basket_for_clothes; Open basket_for_clothes; Find clothes_socks; Grab clothes_socks; "
        "WalkTo washing_machine; Open washing_machine; Put clothes_socks, washing_machine; Find "
        "laundry_detergent; Grab laundry_detergent; PourInto laundry_detergent, washing_machine; Close "
        "washing_machine; SwitchOn washing_machine",
        "Open washing_machine; Grab laundry_detergent; Put laundry_detergent, washing_machine; Grab "
        "clothes_socks; Put clothes_socks, washing_machine; Close washing_machine; SwitchOn "
        "washing_machine",
    ],
    1: [
        "Find phone; PlugIn phone; Grab phone; TypeOn phone; PutBack phone",
        "WalkTo phone; Grab phone; PlugIn phone; TypeOn phone; Drop phone",
    ],
    2: [
        "TakeOff shoes; Wash shoes; Find dresser; Open dresser; PutIn shoes, dresser; Close dresser; "
        "WalkTo light; SwitchOff light; Find television; SwitchOn television; Find couch; LieOn couch; "
        "TurnTo television; Watch television",
        "WalkTo television; SwitchOn television; SwitchOff light; WalkTo couch; LieOn couch; Watch "
        "television; StandUp; TakeOff shoes; Drop shoes; Wash shoes; Grab shoes; Open dresser; Put shoes, "
        "dresser",
    ],
    3: [
        "WalkTo dining_room; Find table_cloth; Grab table_cloth; Put table_cloth, table; Find bowl; Grab "
        "bowl; Put bowl, table; Find fork; Grab fork; Put fork, table",
        "Grab table_cloth; Grab bowl; Grab fork; WalkTo table; Put table_cloth, table; Put fork, table; "
        "Put bowl, table",
    ],
    4: [
        "WalkTo bedroom; Find clothes_dress; Grab clothes_dress; PutOn clothes_dress; Find clothes_scarf; "
        "Grab clothes_scarf; PutOn clothes_scarf; Find keys; Grab keys",
        "Grab keys; PutOn clothes_scarf; PutOn clothes_dress",
    ],
    5: [
        "Find stereo; SwitchOn stereo; Find beer; Grab beer; WalkTo couch; LieOn couch; Drink beer",
        "WalkTo couch; Find beer; Grab beer; WalkTo stereo; SwitchOn stereo; Find couch; LieOn couch; "
        "Drink beer",
    ],
    6: [
        "Find clothes_underwear; Grab clothes_underwear; Find faucet; SwitchOn faucet; Rinse "
        "clothes_underwear; SwitchOff faucet; Find drying_rack; Put clothes_underwear, drying_rack",
        "Rinse clothes_underwear; Grab clothes_underwear; Put clothes_underwear, drying_rack",
    ],
    7: [
        "WalkTo bathroom; Find shampoo; Grab shampoo; Squeeze shampoo; Find hair; Wash hair; Find towel; "
        "Grab towel; Wipe hair; PutBack towel; WalkTo home_office; Find computer; SwitchOn computer; Find "
        "creditcard; Grab creditcard; Find chair; SitOn chair; Find keyboard; TypeOn keyboard",
        "SwitchOn computer; Grab creditcard; SitOn chair; TypeOn keyboard; StandUp; LookAt creditcard; "
        "Grab shampoo; Squeeze shampoo; Wash hair; PutBack shampoo; Grab towel; Wipe hair",
    ],
    8: [
        "Find rag; Grab rag; Find cleaning_solution; Grab cleaning_solution; PourInto cleaning_solution, "
        "rag; PutBack cleaning_solution; Find television; Wipe television; PutBack rag",
        "Find rag; PourInto cleaning_solution, rag; Grab rag; WalkTo television; TurnTo television; Wipe "
        "television; PutBack rag",
    ],
    11: [
        "Find freezer; Close freezer; Find bookshelf; Close bookshelf",
        "Close bookshelf; Close freezer",
    ],
    12: [
        "WalkTo child; Greet child; Wash child; Find sponge; Grab sponge; WalkTo shower; Scrub shower; "
        "PutBack sponge; TakeOff clothes_dress; Find hanger; Put clothes_dress, hanger",
        "Find hanger; TakeOff clothes_dress; Grab hanger; Put clothes_dress, hanger; Find child; TurnTo "
        "child; Greet child; Wash child; Grab sponge; Scrub shower",
    ],
    13: [
        "Find plate; Grab plate; Put plate, table; Find food_cheese; Grab food_cheese; Put food_cheese, "
        "plate; Find chair; SitOn chair; Eat plate; StandUp; WalkTo curtain; Open curtain; WalkTo window; "
        "Open window; LookAt window",
        "Pull curtain; Open window; TurnTo window; LookAt window; Grab food_cheese; Put food_cheese, "
        "plate; Grab plate; SitOn chair; Eat plate",
    ],
    14: [
        "WalkTo dog; Touch dog; Find fly; LookAt fly; Find coffee_filter; Grab coffee_filter; WalkTo "
        "trashcan; Open trashcan; Put coffee_filter, trashcan; Close trashcan",
        "Find trashcan; Open trashcan; Grab coffee_filter; Put coffee_filter, trashcan; Close trashcan; "
        "WalkTo dog; TurnTo dog; Touch dog; TurnTo fly; LookAt fly",
    ],
    15: [
        "WalkTo filing_cabinet; Open filing_cabinet; Find check; Grab check; Close filing_cabinet; WalkTo "
        "desk; Put check, desk; Find coffee_maker; Find coffee_filter; Grab coffee_filter; Put "
        "coffee_filter, coffee_maker; Find ground_coffee; Grab ground_coffee; Put ground_coffee, "
        "coffee_maker; Find water; PourInto water, coffee_maker; SwitchOn coffee_maker; Find cup; Grab "
        "cup; PourInto coffee, cup; Drink cup",
        "Open coffee_maker; Grab coffee_filter; Put coffee_filter, coffee_maker; Grab ground_coffee; Put "
        "ground_coffee, coffee_maker; PourInto water, coffee_maker; Close coffee_maker; SwitchOn "
        "coffee_maker; PourInto coffee, cup; Grab cup; Drink coffee; Open filing_cabinet; Grab check; Put "
        "check, desk; Close filing_cabinet",
    ],
    16: [
        "Find food_bread; Grab food_bread; Put food_bread, cutting_board; Find chef_knife; Grab "
        "chef_knife; Cut food_bread; PutBack chef_knife; Grab food_bread; Find toaster; Put food_bread, "
        "toaster; SwitchOn toaster",
        "Grab chef_knife; Cut food_bread; Grab food_bread; SwitchOn toaster; Put food_bread, toaster",
    ],
    17: [
        "Find paper_towel; Grab paper_towel; WalkTo dirt; Wipe dirt; Find garbage_can; Put paper_towel, "
        "garbage_can; WalkTo floor_lamp; SwitchOff floor_lamp; Find light_bulb; Pull light_bulb; Grab "
        "light_bulb; WalkTo desk; Put light_bulb, desk",
        "SwitchOff floor_lamp; Touch floor_lamp; Grab light_bulb; Pull light_bulb; Put light_bulb, desk; "
        "Grab paper_towel; Wipe dirt; Put paper_towel, garbage_can",
    ],
    18: [
        "WalkTo vacuum_cleaner; PlugIn vacuum_cleaner; SwitchOn vacuum_cleaner; Push vacuum_cleaner; Pull "
        "vacuum_cleaner; SwitchOff vacuum_cleaner; PlugOut vacuum_cleaner",
        "Find vacuum_cleaner; Grab vacuum_cleaner; PlugIn vacuum_cleaner; SwitchOn vacuum_cleaner; Push "
        "vacuum_cleaner; SwitchOff vacuum_cleaner; PlugOut vacuum_cleaner",
    ],
    19: [
        "Find printing_paper; Grab printing_paper; WalkTo fax_machine; Put printing_paper, fax_machine; "
        "SwitchOn fax_machine; Find button; Push button",
        "WalkTo fax_machine; SwitchOn fax_machine; Grab printing_paper; Put printing_paper, fax_machine; "
        "Touch button; Push button",
    ],
    21: [
        "Find shredder; PlugIn shredder; Find newspaper; Grab newspaper; Put newspaper, shredder; "
        "SwitchOn shredder; Find sheets; Grab sheets; Find washing_machine; Open washing_machine; Put "
        "sheets, washing_machine; Grab laundry_detergent; PourInto laundry_detergent, washing_machine; "
        "Close washing_machine; SwitchOn washing_machine",
        "Open washing_machine; Grab sheets; Put sheets, washing_machine; Close washing_machine; PourInto "
        "laundry_detergent, washing_machine; SwitchOn washing_machine; PlugIn shredder; SwitchOn "
        "shredder; Grab newspaper; Put newspaper, shredder",
    ],
    22: [
        "Find novel; Grab novel; WalkTo bed; SitOn bed; Read novel; Find bookmark; Grab bookmark; Put "
        "bookmark, novel; StandUp; WalkTo nightstand; Put novel, nightstand; Find headset; Grab headset; "
        "PutOn headset; Find console; SwitchOn console",
        "Find headset; PutOn headset; SwitchOn console; Find novel; Grab novel; LieOn bed; Read novel; "
        "Grab bookmark; Put bookmark, novel; Put novel, nightstand",
    ],
    23: [
        "WalkTo oven; SwitchOff oven; WalkTo computer; SwitchOff computer; WalkTo laptop; SwitchOff laptop",
        "SwitchOff laptop; SwitchOff computer; SwitchOff oven",
    ],
    24: [
        "WalkTo freezer; Open freezer; Find food_turkey; Grab food_turkey; Close freezer; WalkTo oven; "
        "Open oven; PutIn food_turkey, oven; SwitchOn oven",
        "SwitchOn oven; Open freezer; Grab food_turkey; Close freezer; Open oven; Put food_turkey, oven",
    ],
    25: [
        "Find mail; Grab mail; Open mail; Find chair; SitOn chair; Read mail; Drop mail",
        "WalkTo chair; SitOn chair; Find mail; Grab mail; Open mail; Read mail; Drop mail; StandUp",
    ],
    27: [
        "Find sponge; Grab sponge; Find water; PourInto water, sponge; Squeeze sponge; PutBack sponge",
        "Grab sponge; Grab water; PourInto water, sponge; Squeeze sponge; Put sponge, sink",
    ],
    30: [
        "WalkTo drawing; Push drawing; Pull drawing; LookAt drawing",
        "Find drawing; LookAt drawing; Push drawing; Pull drawing; TurnTo drawing; LookAt drawing",
    ],
    32: [
        "Find newspaper; Grab newspaper; Find fly; TurnTo fly; LookAt fly; Put newspaper, floor",
        "Grab newspaper; WalkTo fly; LookAt fly; WalkTo floor; Put newspaper, floor",
    ],
    34: [
        "WalkTo kitchen_cabinet; Open kitchen_cabinet; Find bowl; Grab bowl; Close kitchen_cabinet; Find "
        "rag; Grab rag; Wipe bowl; PutBack rag; WalkTo kitchen_counter; Put bowl, kitchen_counter",
        "Open kitchen_cabinet; Grab bowl; Put bowl, kitchen_counter; Grab rag; Wipe bowl",
    ],
    35: [
        "Find sauce_pan; Grab sauce_pan; WalkTo sink; Find faucet; Put sauce_pan, sink; SwitchOn faucet; "
        "SwitchOff faucet; Grab sauce_pan; Put sauce_pan, oven; Find food_vegetable; Grab food_vegetable; "
        "Put food_vegetable, sauce_pan; SwitchOn oven",
        "PourInto water, sauce_pan; Grab sauce_pan; Put sauce_pan, oven; SwitchOn oven; Grab "
        "food_vegetable; Put food_vegetable, sauce_pan",
    ],
    36: [
        "Find spectacles; Grab spectacles; PutOn spectacles; Find homework; Grab homework; WalkTo bed; "
        "SitOn bed; Read homework",
        "SitOn bed; Find spectacles; PutOn spectacles; LookAt homework; Read homework; StandUp",
    ],
    37: [
        "Find picture; TurnTo picture; LookAt picture; WalkTo table; Touch table; Find centerpiece; Pull "
        "centerpiece",
        "Touch table; LookAt picture; Grab centerpiece; Pull centerpiece",
    ],
    39: [
        "WalkTo bathroom; Find electric_shaver; Grab electric_shaver; SwitchOn electric_shaver; Find "
        "mirror; LookAt mirror; SwitchOff electric_shaver; PutBack electric_shaver",
        "WalkTo mirror; Grab electric_shaver; SwitchOn electric_shaver; TurnTo mirror; LookAt mirror; "
        "Touch face; SwitchOff electric_shaver; PutBack electric_shaver",
    ],
    40: [
        "WalkTo bathroom; Find face_soap; Grab face_soap; PourInto face_soap, hands_both; PutBack "
        "face_soap; SwitchOn faucet; Wash face; SwitchOff faucet; Find towel; Grab towel; Wipe face; "
        "PutBack towel",
        "PourInto face_soap, hands_both; Wash face; Grab towel; Wipe face",
    ],
    41: [
        "Find television; SwitchOn television; Find video_game_console; SwitchOn video_game_console; Find "
        "video_game_controller; Grab video_game_controller; Find love_seat; SitOn love_seat; Watch "
        "television",
        "SwitchOn video_game_console; SwitchOn television; SitOn love_seat; Grab video_game_controller; "
        "TurnTo television; Watch television; PutBack video_game_controller",
    ],
    44: [
        "Find bag; Open bag; Find clothes_skirt; Grab clothes_skirt; Put clothes_skirt, bag; Find "
        "toothbrush; Grab toothbrush; Put toothbrush, bag; Close bag",
        "Grab toothbrush; Grab clothes_skirt; Open bag; Put toothbrush, bag; Put clothes_skirt, bag; "
        "Close bag",
    ],
    52: [
        "RunTo home_office; Find water_glass; Grab water_glass; Find water; PourInto water, water_glass; "
        "Drink water_glass; Find chair; SitOn chair",
        "RunTo home_office; Grab water_glass; Put water_glass, sink; SwitchOn faucet; SwitchOff faucet; "
        "Grab water_glass; WalkTo chair; SitOn chair; Drink water_glass",
    ],
    60: [
        "Find mop_bucket; PourInto water, mop_bucket; Find mop; Grab mop; Push mop; Pull mop; PutBack mop",
        "Grab mop; Grab water; PourInto water, mop_bucket; Put mop, mop_bucket; Grab mop; Push mop; Pull "
        "mop; PutBack mop",
    ],
    67: [
        "Find mouse; PlugIn mouse; Pull mouse; Grab mouse; Put mouse, mousepad",
        "Grab mouse; PlugIn mouse; Pull mouse; Touch mouse; Put mouse, mousepad",
    ],
    71: [
        "Find remote_control; Grab remote_control; TurnTo television; PointAt television; Push "
        "remote_control; WalkTo coffee_table; Put remote_control, coffee_table",
        "WalkTo remote_control; Grab remote_control; PointAt television; Push remote_control; Touch "
        "remote_control; Put remote_control, coffee_table",
    ],
    90: [
        "Find board_game; Grab board_game; WalkTo table; Put board_game, table; Find woman; Greet woman; "
        "WalkTo chair; SitOn chair",
        "WalkTo woman; Greet woman; Grab board_game; Put board_game, table; Pull chair; SitOn chair",
    ],
    91: [
        "WalkTo bed; Find sheets; Grab sheets; Put sheets, bed; Pull sheets; Find pillow; Grab pillow; "
        "Put pillow, bed",
        "Pull sheets; Grab sheets; Put sheets, bed; Pull sheets; Touch sheets; Grab pillow; Put pillow, bed",
    ],
    97: [
        "WalkTo coffee_table; Push coffee_table; Find mat; Pull mat; RunTo dining_room",
        "Pull mat; Push coffee_table; RunTo dining_room",
    ],
}
"""Programs by the number of the test activity."""


def lines(program: str) -> str:
    r"""Return a program as agents write it: ``Grab cup; StandUp`` as ``Agent.Grab(cup)\nAgent.StandUp()``."""
    calls = [step.partition(" ") for step in program.split("; ")]
    return "\n".join(f"Agent.{name}({objects})" for name, _, objects in calls)
