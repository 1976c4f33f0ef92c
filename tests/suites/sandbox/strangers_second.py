"""A second set of honest answers, on other tasks, written after mending for the first and run before more of it."""

from __future__ import annotations

SECOND: dict[str, tuple[str, ...]] = {
    "test-table_near_contact-1": (
        "Rania lives in Tsukino. The best-rated restaurant there is **{0}** (4.9 stars); call {1} to reserve. It is closed on Fridays.",
        "{0}, phone {1}",
    ),
    "test-film_facts-0": (
        '"The Wandering Passenger" is a {1} documentary that runs for {0} minutes (3 h 14 min).',
        "Runtime: {0} min\nYear: {1}",
    ),
    "test-translate_across-0": (
        '"kootubrard" means kindle, which is "solivaesh" in Velish; "stestootux" means icicle, which is "rovaeraen".',
        "solivaesh and rovaeraen",
    ),
    "test-class_and_weight-5": (
        "You're on the waiting list for Hill Cycling on 12 May, and I logged 70.1 kg. That differs from the previous entry (77.4 kg) by {0} kg.",
        "The difference is {0} kg. The class is full, so it's a waiting-list place for now.",
    ),
    "test-match_crowd-5": (
        "They played on {0:%-d %B %Y} (4-2). 53 % of the 44,903 spectators are about {1:,} people.",
        "{0}; {1}",
    ),
    "test-news_from_contact-1": (
        'Keiko lives in Mirabad. The latest article there, "Mirabad breaks ground on timber towers" (28 February 2026), is by {0} and belongs to {1}.',
        "{0} - topic: {1}",
    ),
    "test-split_holding-0": (
        "Only the 2-for-1 split of 14 August 2024 came after you bought, so you hold {0} shares, worth {1:,.2f} AUR at 68.91 AUR each.",
        "204 x 2 = {0} shares; {0} x 68.91 = {1:.2f} AUR",
    ),
    "test-share_price_change-0": (
        "No, it closed lower: 13.33 AUR after 15.14 AUR, a difference of {1:.2f} AUR.",
        "No. The two closing prices are {1:.2f} aurel apart.",
    ),
    "test-portions_to_match-5": (
        "5 portions of lemon hold 5,715 kJ. You would need {0} portions of split pea for that.",
        "About {0} portions.",
    ),
    "test-album_length-1": (
        'No, at {1:,} seconds (almost 35 minutes) it is too long for that tape. The shortest track is "{2}" at 289 seconds.',
        "- Fits: no\n- Length: {1} s\n- Shortest track: {2}",
    ),
    "test-transfer_fee-1": (
        "{0} is worth the most (35 million aurel). 21 % of that is {1:,} aurel.",
        "{0}; the fee would be 7.35 million aurel.",
    ),
    "test-translate_list-4": (
        "furrow = rilomeash, lofty = rovaemol, kiln = fofeafol",
        "In Velish:\n1. furrow: rilomeash\n2. lofty: rovaemol\n3. kiln: fofeafol\n\nWould you like to know how they are pronounced?",
    ),
    "test-goals_in_rounds-1": (
        "Yenikoy Harriers scored {0} goals and let in {1} over those 13 matches.",
        "For: {0}, against: {1}.",
    ),
    "test-birthplace_distance-2": (
        "Tomas Eastlake was born in {0}, {1:,} km from Tyrnaes.",
        "The author, Tomas Eastlake, comes from {0} in Estavia. As the crow flies that is {1} kilometres from Tyrnaes.",
    ),
    "test-cheapest_edition-0": (
        "The {0} is the cheapest at 9.57 AUR (paperback 9.83, audiobook 41.39). Six of them cost {1:.2f} AUR.",
        "{0}, {1:.2f} AUR for 6",
    ),
    "test-mail_detail-0": (
        "She writes that the roofer wants {0:.2f} AUR, materials included.",
        "{0:.2f} AUR, according to the mail of 20 February.",
    ),
    "test-headquarters_distance-0": (
        "Tsukino (Beryl Foods) and Marrowgate (Rampart Power) are {0:,} km apart.",
        "roughly {0:,.0f} km",
    ),
    "test-car_terms-1": (
        "You may drive {0} miles for free in 6 days (115 a day). Drivers must be at least {1}.",
        "Free distance: {0} mi. Least age: {1} years. Extra miles may cost more.",
    ),
    "test-flight_arrival-0": (
        "ME152 lands at 17:00, so with your 52 minutes you are out at {0} in {1}.",
        "{0:%-I:%M %p} local time, {1}",
    ),
    "test-meet_contact-0": (
        '"Coffee" with Xenia Valcourt is in your calendar: 22 July 2026, 08:00 to 09:00.',
        "All done! The hour was free, so I scheduled it right away.",
    ),
    "test-points_gap-3": (
        "No, Tsukino United are {1} points behind Baltasar Wanderers.",
        "No. Baltasar Wanderers lead them by {1} points after five rounds.",
    ),
    "test-pin_and_react-4": (
        'I pinned the post by Oskar Ravensdale and added the reaction "question mark".',
        "Done, both.",
    ),
    "test-next_fixture-4": (
        "They host {1} on {0:%A, %-d %B %Y} (round 17).",
        "{0} vs {1}",
    ),
    "test-change_phone-0": (
        "Jamila Iskander's number is now +44 8618 9292.",
        "I've updated the entry; e-mail and birthday were left as they are.",
    ),
    "test-concert_tickets-5": (
        "Seventh Satellites play Mirabad on {0:%-d %B %Y}. 9 front row tickets come to {1:,.2f} AUR in total. They also play in Karvelik on 18 August.",
        "Date: {0}. Total: {1:.2f} AUR (booking not made).",
    ),
    "test-portion_weight-5": (
        "28 cups of cherries weigh {0:,} g and hold {1:,} kJ.",
        "28 x 94 g = {0} g; 28 x 877 kJ = {1} kJ",
    ),
    "test-return_too_late-0": (
        "No, Thread House did not accept the return; the period is over. Ten of them cost {1:,.2f} AUR at the present price of 136.70 AUR.",
        "No; {1:g} aurel.",
    ),
    "test-squad_scorers-3": (
        "{0} is the only one.",
        "Just one forward has reached 14: {0}.",
    ),
    "test-bound_by_contract-0": (
        "No. You are bound until {1:%-d %B %Y}; three months at 7.99 AUR cost {2:.2f} AUR.",
        "No, the cancellation was refused. Contract runs until: {1}. Cost of 3 months: {2:.2f} AUR.",
    ),
    "test-ticket_age-0": (
        "{0} is the agent. The ticket was opened on 10 February 2026, {1} days before 4 March.",
        "Agent: {0}; {1} days",
    ),
    "test-say_sum-1": (
        '22 + 5 = 27, which is "{0}" in Velish.',
        "{0}",
    ),
    "test-change_flight_too_late-0": (
        "No, it's too close to departure. You still leave on {1:%-d %B %Y}; you paid {2:.2f} AUR.",
        "No. Departure: {1}, price: {2:.2f} AUR.",
    ),
    "val-create_event-1": (
        '"Boiler repair" is in your calendar for 3 June 2026, 11:45 to 12:45.',
        "I've put it in. Nothing else is planned that day.",
    ),
    "val-swap_purchase-1": (
        "The waistcoat order is cancelled; you get {0:.2f} AUR back. The three trousers cost {1:.2f} AUR, so you pay 73.30 AUR more on balance.",
        "Refund: {0:.2f} aurel; new order: {1:.2f} aurel.",
    ),
    "val-rename_file-0": (
        "budget-2021.csv is now called draft-11.csv.",
        "Renamed! It still lies in /Work.",
    ),
    "val-word_in_use-0": (
        'The word is "attic". No, it was first recorded in 1886 only; today it is used {1:g} times per million words.',
        "No - not until 1886. Frequency: {1:g} per million.",
    ),
    "val-menu_choice-1": (
        "{0} is the only vegetarian dessert there.",
        "{0}",
    ),
    "val-add_programme-1": (
        "The bathroom will heat to 66.2 °F (19.0 °C) at 05:30 on weekends. There was no such programme yet.",
        "Programme added for the weekend: 5:30 AM, 66.2 degrees Fahrenheit.",
    ),
    "val-works_between-1": (
        "Three: Marginalia of the Paper Moon, Daughters of the Amber Coast and Gardens of the Glass Valley.",
        "* Marginalia of the Paper Moon (1994)\n* Daughters of the Amber Coast\n* Gardens of the Glass Valley",
    ),
    "val-postpone_urgent-1": (
        'I moved two to-dos to 3 June 2026: "Draft the memo" (was due 15 March) and "Update the roster".',
        "Draft the memo; Update the roster",
    ),
    "val-zone_gap-1": (
        "It is 58.2 °F in the attic now, i.e. {0} degrees below 76. The humidity is {1} %.",
        "{0} °F and {1}%",
    ),
    "val-more_guests_too_late-0": (
        "No, the restaurant no longer changes that reservation. Your deposit of 10.00 AUR equals {1:,.2f} EST.",
        "No. Deposit: {1:.2f} EST. Nothing was cancelled.",
    ),
    "val-files_above-0": (
        "budget-2022.csv (5,472 kB) and recital-2022.pdf are larger than 377 kB.",
        "budget-2022.csv, recital-2022.pdf",
    ),
    "val-city_high-1": (
        "It'll reach {0} °C, with {1}. Pack an umbrella!",
        "High: {0}°C\nConditions: {1}\nThe low will be 17.3°C.",
    ),
    "val-parcel_with_old_token-1": (
        "Your token had expired, so I logged in anew. The Vinyl Cellar parcel now comes on 27 March 2026.",
        "The delivery has been changed to 2026-03-27.",
    ),
    "val-delete_contact-1": (
        "Carla Nakagawa has been removed from your contacts.",
        "The entry is gone.",
    ),
    "missing-fare_of_no_route-3": (
        "There isn't a direct flight between Yenikoy and Las Brisas, so I can't quote a price.",
        "Skyfare has no direct connection from Yenikoy to Las Brisas. Shall I look for one with a stop?",
    ),
    "missing-delete_no_contact-0": (
        "Gita Norrgard does not appear in your contacts. I did find a Gita Vesterby; is that who you mean?",
        "Nothing to delete: you have no contact of that name.",
    ),
    "missing-car_without_day_and_age-3": (
        "Happy to! When should the rental begin, and what is the driver's age?",
        "I'm missing two details: the first day and how old the driver is.",
    ),
    "missing-delete_file_without_tool-0": (
        "I've located recital-2025.jpg (/Home/Photos), but wiping files is beyond what I can do here.",
        "Unfortunately there's no function for deleting a file, so recital-2025.jpg remains where it is.",
    ),
    "missing-film_that_is_not_listed-2": (
        'Reel Index has no entry for "The Eleventh Winter".',
        'I searched for the film but it isn\'t there. The closest titles are "The Borrowed Winter" and "The Restless Winter".',
    ),
    "missing-drive_without_tool-0": (
        "I don't have a tool for road distances. The straight line measures 4,166.8 km, if that helps.",
        "Driving distances are not something I can look up.",
    ),
    "missing-book_without_tool-1": (
        "The seat would cost 176.55 AUR, but I have no means of booking it.",
        "I cannot reserve flights for you; I can only show fares and times.",
    ),
    "missing-room_without_nights-0": (
        "The Blue Orchard Hotel has rooms at 74.36 AUR a night. How many nights will you stay?",
        "How long do you want to stay? Once I know, I can book it.",
    ),
    "missing-delete_file_without_tool-2": (
        "I can't delete garden-2021.csv, since no such tool is available.",
        "Removing files isn't supported, so nothing has been deleted.",
    ),
    "missing-car_without_day_and_age-0": (
        "From which date do you need it, and how old will the driver be?",
        "To book the Sorrel Barge I still need your pick-up date and the age of the driver.",
    ),
    "missing-fare_without_day-2": (
        "On which day do you fly? Fares on SJ315 depend on the date.",
        "Could you tell me the travel date?",
    ),
    "missing-cancel_without_tool-0": (
        'I can\'t remove events with my tools; "Piano lesson" is still there at 09:15.',
        "There is no way for me to delete a calendar entry, I'm afraid.",
    ),
    "missing-event_without_time-3": (
        "What time should it start?",
        "You gave me the day and the length but not the hour at which it begins.",
    ),
    "missing-mail_to_one_of_two-1": (
        "Which Gregor: Gregor Ackerby or Gregor Iskander?",
        "There are two people called Gregor in your contacts, so I haven't sent it yet. Whom do you mean?",
    ),
}
