"""Honest answers to Sandbox tasks, written from queries and results before the reader was read.

Each entry is a task and what two strangers would say. ``{0}`` is the value of the task's first fact, formatted as
`strangers.Shown` does; everything else was read off the query and the results of gold's calls.
"""

from __future__ import annotations

FIRST: dict[str, tuple[str, ...]] = {
    "test-chart_run_length-4": (
        'At place 11 that week stood **"{0}"** by Hollow Gardeners. Its chart run began on {1:%-d %B %Y} and lasted 21 weeks, with a best position of 7. Let me know if you would like anything else!',
        "{0}; first charted {1:%b %-d, %Y}.",
    ),
    "test-train_then_ferry-0": (
        "The train leaves at {0}. Train fare: 108.38 AUR, ferry: 165.20 AUR, so both together come to {1:.2f} AUR for 2 adults.",
        "| Leg | Details | Price (AUR) |\n|---|---|---|\n| Train IR0175 | departs {0} | 108.38 |\n| Ferry (Grey Whale) | 7.75 h | 165.20 |\n| **Sum** | | **{1:.2f}** |\n\nYour train leaves Santa Verea at {0}.",
    ),
    "test-write_post-4": (
        'I checked lost-and-found: the message was not there yet, so I have posted "Two seats are left."',
        "Posted (post-021).",
    ),
    "test-bulk_order-4": (
        "11 hardback copies cost {0:.2f} AUR in total, bulk discount already taken off.",
        "The shop quotes 39,630 cents, i.e. **{0:.2f} AUR**, for 11 copies of the hardback. Prices may change, so order soon.",
    ),
    "test-hotel_check_in-1": (
        "Check-in at the Old Orchard Hotel starts at {0:%-I:%M %p}; you can reach them on {1}.",
        "- **Earliest check-in:** {0}\n- **Phone:** {1}\n- It is a 5-star house at 3552.19 ALD a night.",
    ),
    "test-book_class_or_other-0": (
        "Slow Yoga still had 14 places free, so I booked you in. Your class starts at {0}.",
        "You're booked on Slow Yoga on Friday, 24 April 2026, {0:%-I:%M %p}. Boxing Drills wasn't needed.",
    ),
    "test-person_birth-2": (
        "Carla Ormsby, the director, was born on {0:%B %-d, %Y}.",
        "{0}",
    ),
    "test-cheaper_railway-1": (
        "{0} is cheaper, by {1:.2f} AUR.",
        "**{0}** – you save {1:.2f} AUR (287.21 AUR instead of 335.09 AUR for all 7).",
    ),
    "test-goal_from_past-2": (
        "Your weekly ride goal is now {0} km, the total of the 3 rides you logged in that period (159 minutes in all).",
        "Done: {0} kilometres a week.",
    ),
    "test-longer_story-3": (
        "The longer piece is the one about Orvanne's empty offices (1,415 words against 1,232). It was written by {0} and printed on {1:%-d %B %Y} in the Halvean Star.",
        "Author: {0}\nPrinted: {1:%d/%m/%Y}",
    ),
    "test-train_by_deadline-0": (
        "Take **{0}**: it departs Nordlund at {1} and gets to Oskby at 12:23. The next one (IR0261, 11:50) would arrive too late, at 13:56.",
        "{0}, {1}",
    ),
    "test-rent_cheapest_car-0": (
        "I've rented the {0} (9 seats, manual) for 24-26 July 2026. The total comes to {1:.2f} AUR, i.e. 26.25 AUR per day.",
        "Rented: {0}, {1:.2f} AUR in total. The only other car with enough seats, the Cinder Nomad, is 104.25 a day.",
    ),
    "test-director_birth-2": (
        '"The Salt Witness" (2001) was directed by {0}, who was born on {1:%-d %B %Y}.',
        "Director: {0} - born {1}. Happy to look up the cast as well.",
    ),
    "test-clear_overdue-3": (
        "I moved 164 AUR, then paid Hopper Removals (41.41) and Granite Insurance (91.62). Your holiday account now holds {0:,.2f} AUR.",
        "All set. Starting from 2213.72 + 164 = 2377.72 AUR, minus the two overdue invoices of 41.41 and 91.62 AUR, the holiday account is left with {0:.2f} AUR.",
    ),
    "test-car_for_young_driver-2": (
        "No - the Sorrel Barge requires drivers to be at least 23. So I rented the Boreal Lynx; the total is {1:.2f} AUR.",
        "No. The total for the Boreal Lynx is {1:g} AUR (5 days at 98).",
    ),
    "test-forward_detail-0": (
        "Amir Castellan's price is {0:.2f} AUR; I've mailed that to nadia.eastlake@postbox.example under \"As promised\".",
        "The mail to Nadia has been sent. It reads: {0:.2f}",
    ),
    "test-cancel_stay-0": (
        "The Old Mill Hotel has been cancelled. Half of the 552.12 AUR comes back: 276.06 AUR, which is {0:,.2f} CIC.",
        "{0:.2f} CIC will be refunded. Note that exchange rates change daily.",
    ),
    "test-author_age_gap-2": (
        "No, Yara Pellerin (7 September 1957) was born after Ivo Halvard (21 October 1953). The gap is {1:,} days.",
        "No - Ivo Halvard is the older one, by {1} days.",
    ),
    "test-add_contact-1": (
        "Keiko Iskander is saved in your contacts with +44 5643 0553.",
        "Done! There was no such entry before, so nothing was overwritten.",
    ),
    "test-pay_from_fitting_account-2": (
        "I used your {0} account, because current holds just 3,137.37 AUR. The invoice (56.54 AUR) was due on {1:%-d %B %Y}.",
        "{0}; due {1:%B %-dth, %Y}, so it was already overdue.",
    ),
    "test-portion_plate-4": (
        "About {0:.1f} g of protein.",
        "Barley: 6 x 750 mg = 4,500 mg; lentil: 2 x 3,051 mg = 6,102 mg. Together 10,602 mg, so **{0:.1f} g** of protein.",
    ),
    "test-move_event-0": (
        '"Piano lesson" has been moved from 21 March to 5 June 2026, 12:15.',
        "Moved. It still takes 75 minutes.",
    ),
    "test-write_post-1": (
        'I posted "Bring gloves on Saturday." in #lost-and-found; you had not posted it before.',
        "Your message is now up in #lost-and-found.",
    ),
    "test-cancel_class_too_late-1": (
        "No, it is too late to cancel that place. The coach is {1}. The class runs 60 minutes, so at 11 cents a minute it is worth {2} cents.",
        "- Worked: no\n- Coach: {1}\n- Worth: {2} cents",
    ),
    "test-book_cheapest_day-3": (
        "Cheapest is {0:%-d %B} at {1:.2f} AUR (the 11th costs 105.22, the 13th 135.95), and I booked that one.",
        "Booked for {0}: {1:.2f} AUR.",
    ),
    "test-meal_bill_abroad-1": (
        "{0:.2f} BRV",
        "That meal would cost you {0:.1f} BRV.",
    ),
    "test-clear_overdue-0": (
        "Your holiday account holds **{0:.2f} AUR** now that both overdue invoices (Arbour Tree Care, 79.98, and Ironwood Fences, 102.68) are paid. Is there anything else I can help with?",
        "{0:.2f} AUR are left on the holiday account after the transfer of 266 AUR and the payments.",
    ),
    "test-charting_artist-1": (
        'The song at place 19 is "Leave Paper Boats" by Northern Parade, from the album "{0}". The band was formed in {1}.',
        "{0}; {1}",
    ),
    "test-donate_instead-2": (
        'Thread House refused the return: its last day was {0:%-d %B %Y}. I added "Donate the Woollen Cardigan" to Errands, due 7 April 2026.',
        "It can no longer go back; the period ended on {0}. The to-do is in Errands.",
    ),
    "test-first_choice_hotel-0": (
        "The Little Beacon Hotel had a room, so I booked it: 5 nights at 76.68 AUR, {0:.2f} AUR in total.",
        "Total: {0:.2f} AUR (Little Beacon Hotel, 11-16 October 2026). No need for the Copper Beacon.",
    ),
    "test-file_to_new_folder-0": (
        "I created /Work/Review and moved warranty-2019.pdf there: {0:,} kB.",
        "{0} kilobytes moved. /Work/Review did not exist, so I made it first.",
    ),
    "test-mail_contact-1": (
        "Sent to {0}. You hadn't sent it before.",
        "Dario's address is {0}, and the mail went out today.",
    ),
    "test-charting_live-7": (
        "{0} are at place 20. Their first announced concert is on {1:%-d %B %Y} at the Orvanne Tram Depot, which holds {2:,} people. Doors open at 18:00.",
        "* Artist: {0}\n* First concert: {1} (Orvanne)\n* Capacity: {2}",
    ),
    "test-album_by_year-3": (
        'Their latest album by 2023 is "{0}" (2016); its fourth track is "{1}".',
        "{0} / {1}",
    ),
    "test-outlet_age-2": (
        "The story appeared in the {0}. That paper was founded in 1951, so 2052 is {1} years after its founding.",
        "{0}, {1} years (2052 - 1951).",
    ),
    "test-book_cheapest_room-3": (
        "I booked the {0} for 9 nights from 11 December 2026. The total price is {1:.2f} aurel; breakfast may cost extra.",
        "{0}, {1:.2f} AUR (51.07 per night; the next one up, the Amber Mill Hotel, is 60.67).",
    ),
    "test-reply_to_mail-0": (
        'I replied to Bruno Rostami: "Let us talk about it on Sunday."',
        "Your reply has been sent; there was none before.",
    ),
    "test-recipe_nutrition-1": (
        "Cabbage 50.51 g + butter 1.26 g + prawn 1.61 g + lemon 9.45 g = {0:.2f} g of fibre.",
        "The whole dish has roughly {0:.1f} g of fibre ({0:.2f} g to be exact).",
    ),
    "test-sort_mail-0": (
        'The subject is "{0}". The mail is marked as read and carries the label "urgent".',
        "{0}",
    ),
    "test-dinner_with_contact-1": (
        "You are dining at {0} in Thornhaven at {1} on 29 June 2026. The table is on the terrace (deposit 11.00), and the event ends at 20:00.",
        "{0}, {1:%-I:%M %p}. I've put the dinner with Xenia in your calendar.",
    ),
    "val-cancel_stay-0": (
        "Your stay has been cancelled. You get back 238.03 AUR of the 476.05 you paid, which equals **{0:,.2f} GYO**.",
        "{0:.2f} GYO.",
    ),
    "val-reopen_too_late-1": (
        "No, it could not be reopened. The ticket was closed on {1:%-d %B %Y}, {2} days before 25 March 2026.",
        "No. Closed: {1}. That was {2} days before 2026-03-25.",
    ),
    "val-frost_or_eco-1": (
        "No. The low will be {1} °C, so I switched the bedrooms to eco.",
        "No - a low of {1}°C and a high of 17.7°C are forecast. The bedrooms are in eco mode now; no heating to 18.5 °C was set.",
    ),
    "val-day_trip_budget-0": (
        "{0} (rated 4.9) it is. Train: 84.94 AUR for two; two Lentil Moussakas at 31.78 ALD are 63.56 ALD = 17.68 AUR. Sum: {1:.2f} AUR.",
        "Restaurant: {0}. Total: {1:.2f} AUR.",
    ),
    "val-city_distance-0": (
        "Tyrnaes and Karvelik lie {0:,.1f} miles apart.",
        "It's about {0:,.0f} miles ({0} mi to be precise) as the crow flies.",
    ),
    "val-add_todo-1": (
        'I added "Pay the window cleaner" to Home, due 11 April 2026, low priority. There was none yet.',
        "Added.",
    ),
    "val-parcel_too_late-1": (
        "No, the parcel is already out for delivery, so the day could not be changed. It weighs {1} g.",
        "No; {1} grams.",
    ),
    "val-mail_to_calendar-0": (
        "The handover is on {0:%A, %-d %B %Y}. I blocked 20:00 to 20:45; that day was empty.",
        "{0}",
    ),
    "val-visit_by_express-1": (
        "The 11:40 AM service (SW-2313) costs {0:.2f} AUR in panorama. Hoshikawa expects {1}, with 13.7 to 19.4 °C.",
        "Fare: {0:.2f} AUR. Forecast for Hoshikawa on 11 June: {1} and 9 mm of precipitation.",
    ),
    "val-ferry_on_date-0": (
        "The last sailing that Friday leaves at {0}; four adults pay {1:.2f} AUR altogether.",
        "{0:%-I:%M %p} on the Driftwood, {1:.2f} AUR for all four (85.63 AUR each).",
    ),
    "val-room_energy-1": (
        "{0} Wh",
        "What is on at present would use {0:,} watt-hours (about 1.35 kWh) over 3 hours.",
    ),
    "val-reading_days-1": (
        '"Echoes of Tall Grass" has 214 pages and "Patience of the Ninth Wave" 366: {0} pages together. At 27 a day you finish on day {1}.',
        "{0} pages; day {1} (580 / 27 = 21.5, rounded up).",
    ),
    "val-sun_times-0": (
        "Sunrise {0}, sunset {1}.",
        "In Hoshikawa the sun rises at {0:%-I:%M %p} and sets at {1:%-I:%M %p} on 18 March 2026, local time; the day lasts 711 minutes.",
    ),
    "val-swap_todos-0": (
        '"Clean the gutters" is ticked off, and "Prune the roses" now has high priority. It is due on {0:%-d %B}.',
        "Due {0}. (The gutters would have been due on 2026-03-13.)",
    ),
    "val-visit_by_express-0": (
        "A panorama seat costs {0:.2f} aurel on the 5:15 AM train to Veldhavn. Expect {1} weather there, between 0.9 and 8.9 °C.",
        "It will be {1}; the seat is {0:.2f} AUR.",
    ),
    "val-move_event-0": (
        "Choir practice has moved to 26 April 2026, 08:15.",
        "Done. The event no longer stands on 17 March at 16:00.",
    ),
    "val-copy_without_space-1": (
        "No, it did not work: the file has {1:,} kB but only {2:,} kB are free.",
        "No. File size: {1} kB. Free space: {2} kB of 38900.",
    ),
    "val-move_reservation-1": (
        "Your table on 10 September 2026 is at {0} in the {1}. The old reservation is cancelled and its deposit of 5.00 comes back.",
        "{0:%-I:%M %p}, {1}",
    ),
    "val-older_author-1": (
        "{0}, born {1:%-d %B %Y}.",
        "The older of the two is **{0}** (born {1}).",
    ),
    "val-parcel_by_date-1": (
        "Yes. It is due on {1:%-d %B %Y} and weighs {2} g.",
        "Yes! Loom and Thread's parcel is in transit, delivery {1:%A, %B %-d}, weight {2} grams (0.96 kg).",
    ),
    "train-convert_measure-13": (
        "407 knots = {0:.1f} km/h",
        "That is {0} kilometres an hour (407 × 1.852).",
    ),
    "train-gather_tables-14": (
        "Both CSV files of /Work/Reports (lecture-2024.csv and tickets-2025.csv) are in the new folder /Home/Later. The jpg and the pdf stayed where they were.",
        "Moved 2 files.",
    ),
    "train-rent_cheapest_car-14": (
        "It's a {0}, at {1:.2f} AUR for the 8 days.",
        "I have rented the {0} from 14 to 22 November 2026. Price: 8 × 23.75 = {1:g} AUR.",
    ),
    "train-train_then_ferry-3": (
        "Your train leaves Yenikoy at {0} and arrives in Karvelik at 10:21. Price for four: 130.40 + 246.68 = {1:.2f} aurel.",
        "{0}; {1:.2f} AUR in all",
    ),
    "train-recipe_imperial-13": (
        "For 14 servings you need 630 g of cabbage, that is {0:.2f} oz.",
        "{0:.2f} ounces of cabbage (rounded from {0:.4f}).",
    ),
    "train-pay_from_fitting_account-10": (
        "Paid from the {0} account (6759.13 AUR before, 6629.02 AUR after). The invoice was due on {1:%-d %B %Y}.",
        "It was the {0} account. Due date: {1}. The savings account was not touched.",
    ),
    "train-pocket_money-5": (
        "798 AUR will get you {0:.2f} {1}.",
        "Amount: {0:.2f}\nCode: {1}\n\nPlease note that exchange rates fluctuate.",
    ),
    "train-balance_abroad-9": (
        "You would get {0:,.2f} FAR for your 4,807.60 AUR.",
        "{0:.2f}",
    ),
    "train-close_with_comment-17": (
        "The ticket is closed with your comment. It was opened on {0:%-d %B %Y}.",
        "Opened {0}, closed today (2026-03-02).",
    ),
    "train-ferry_on_date-18": (
        "There is only one sailing that Wednesday, at {0}. 4 adults: {1:.2f} AUR.",
        "10 June 2026 is a Wednesday, so the Kirigaoka-Pellbury ferry goes at {0:%-I:%M %p}. You'd pay {1:.2f} AUR in all.",
    ),
    "train-change_stay_too_late-6": (
        "No, the hotel no longer accepts changes. You still arrive on {1:%-d %B %Y}, for {2:.2f} AUR.",
        "No. Present booking: arrival {1}, price {2:.2f} AUR. I did not cancel anything.",
    ),
    "train-product_price-1": (
        "5 bottles cost {0:.2f} AUR and weigh {1:,} g (26.65 kg).",
        "Cost: 5 × 35.06 = {0:.2f} AUR; weight: 5 × 5330 = {1} g.",
    ),
    "train-revenue_growth-11": (
        "No. Revenue fell from 2,186.0 million AUR in 2021 to 1,824.5 million AUR in 2022, a difference of 361.5 million AUR.",
        "No, it reported {1:,.0f} AUR less.",
    ),
    "train-older_author-17": (
        "{0}, {1:%-d %B %Y}",
        "{0} was born on {1:%B %-d, %Y}.",
    ),
    "train-clear_overdue-17": (
        "Savings ends up with {0:,.2f} AUR. Nothing is overdue any more.",
        "After topping savings up with 284 AUR and paying 66.84 and 126.81 AUR, its final balance is {0:.2f} AUR.",
    ),
    "train-elevation_gap-0": (
        "Eastmere (1,471 m) lies {0} metres higher than Veldhavn (673 m).",
        "{0} m",
    ),
    "train-day_agenda-1": (
        "You have two things: Choir practice at {1} (30 minutes) and Parents' evening at 15:00 (45 minutes). So the day begins at {1}.",
        "- {1}: Choir practice\n- 15:00: Parents' evening",
    ),
    "train-change_flight_day-1": (
        "Rebooked to 5 July 2026. The final amount, including the fee, is {0:.2f} AUR.",
        "{0:.2f}",
    ),
    "train-product_price-2": (
        "Sum: {0:.2f} aurel. Weight: {1:,} g.",
        "Five of them would be {0:.2f} AUR and {1} grams, or 2.2 kg.",
    ),
    "train-pay_invoice-7": (
        "I paid Bluebell Nursery's 130.15 AUR out of savings. 3,059.97 AUR remain there, which is {0:,.2f} ALD.",
        "{0:.2f} ALD are left.",
    ),
    "train-refund_and_pay-1": (
        "In the end there are {0:,.2f} AUR in current: 17.29 came back from Bluebell Nursery, 127.67 went to Fernhill Dentists.",
        "Current: {0:.2f} AUR.",
    ),
    "train-close_with_comment-11": (
        "It was opened on {0:%-d %B %Y} and has now been closed with the comment.",
        "{0:%d.%m.%Y}",
    ),
    "train-weekly_temperature-17": (
        "The median low is {0} °C.",
        "Sorted lows: 1.9, 3.6, 4.5, 11.6, 12.1, 15.5, 18.0. The middle one, and thus the median, is {0} °C.",
    ),
    "train-shares_abroad-8": (
        "300 shares at 11.31 AUR are 3,393 AUR, or {0:,.2f} HLV. That uses the close of 27 February 2026.",
        "{0:.2f} HLV",
    ),
    "train-rail_party_fare-18": (
        "Seven first-class tickets on IR0250 cost {0:.2f} AUR in total, i.e. 68.99 AUR each.",
        "482.95 aurel altogether.",
    ),
    "train-garment_in_stock-5": (
        "No. Size S is sold out. Five would cost {1:.2f} aurel (5 × 6310 cents = 31,550 cents).",
        "No - there are none in S (M: 9, XL: 8). Sum: {1:.2f} AUR.",
    ),
    "train-month_cost-2": (
        "You used {0} cubic metres of gas (16,937 minus 16,700). At 0.94 AUR each that is 222.78 AUR = {1:.2f} FAR.",
        "{0} units, {1:.2f} FAR",
    ),
    "train-first_recorded-3": (
        "{0} and {1}",
        "Oldest: {0} (brittle). Youngest: {1} (embroider).",
    ),
    "train-birthday_todo-18": (
        "The due date is {0:%-d %B %Y}, a week before Fergus's birthday on 17 August.",
        "{0}. Birthday: 17 August (born 2003).",
    ),
    "train-office_overlap-14": (
        "From 08:30 to {1} Marrowgate time, i.e. {0} minutes.",
        "Start 8:30 AM, end {1:%-I:%M %p}, length {0} minutes (4.5 hours).",
    ),
    "missing-delete_file_without_tool-1": (
        "I found warranty-2024.csv in /Home/Photos (886 kB), but none of my tools can delete files, so it is still there.",
        "Sorry, I'm not able to delete files with the tools I have. You would need to do that yourself.",
    ),
    "missing-phone_of_no_contact-2": (
        "There is no Gregor Pellerin in your contacts, so I have no number to read out.",
        'I searched your contacts for "Gregor Pellerin" and for "Pellerin" alone, but neither search turned anything up. Could the name be spelled differently?',
    ),
    "missing-transfer_without_amount-2": (
        "How much should I transfer? Your current account holds 4,614.57 AUR.",
        "I haven't moved anything yet, because you didn't tell me the amount. Please let me know what sum you'd like in the holiday account.",
    ),
    "missing-mail_to_one_of_two-3": (
        "You have two Adas in your contacts: Ada Prowse and Ada Kovarik. Which of them should get the mail?",
        "Did you mean Ada Prowse or Ada Kovarik? I have sent nothing so far.",
    ),
    "missing-film_that_is_not_listed-1": (
        '"The Borrowed Carnival" is not in the film index, so I cannot give you its year. There are similar titles such as "The Distant Carnival" (1969).',
        "No film with that title turns up in Reel Index.",
    ),
    "missing-fare_of_no_route-2": (
        "There are no direct flights from Cawdle to Tsukino, so there is no fare to quote.",
        "Unfortunately nobody flies straight from Cawdle to Tsukino, on 14 September 2026 or any other day.",
    ),
    "missing-delete_one_of_two-1": (
        "There are two: Keiko Falkner and Keiko Ravensdale. Which one do you want me to remove?",
        "I need to know which Keiko you mean (Falkner or Ravensdale) before I delete anyone.",
    ),
    "missing-cancel_without_tool-2": (
        'I can see "Team lunch" at 16:00 on 25 March, but I have no tool for deleting events. Get well soon!',
        "I was unable to take it out: the planner offers no way to remove an event. I left the calendar as it is.",
    ),
    "missing-room_without_nights-1": (
        "For how many nights would you like to stay? The Sunken Orchard Hotel has a room from 5 July 2026 at 49.72 AUR a night.",
        "I'd be glad to book it, but when do you check out?",
    ),
    "missing-meaning_of_no_word-1": (
        'The dictionary has no entry for "stackleth".',
        "I couldn't find the word in Word Hoard, so I won't make up a definition.",
    ),
    "missing-population_of_no_city-0": (
        "I couldn't find a city called Valdekawa.",
        "Valdekawa is not listed in City Atlas, so its population is unknown to me.",
    ),
    "missing-delete_no_contact-1": (
        "Jamila Tamburin isn't among your contacts, so there was nothing to take out. (You do have a Jamila Kestrel.)",
        "I found no contact by that name; the only Jamila is Jamila Kestrel, whom I left alone.",
    ),
    "missing-drive_without_tool-1": (
        "I can only tell the straight-line distance, 6,371.7 km; none of my tools knows driving distances.",
        "Sorry, I have no way to look up road distances.",
    ),
    "missing-book_without_tool-0": (
        "SJ536 on 28 April 2026 costs 180.91 AUR in premium, but I have no tool to book flights.",
        "I can look the flight up but not book it.",
    ),
    "missing-car_without_day_and_age-1": (
        "On which date do you want to pick the car up, and how old is the driver?",
        "Before I can rent the Boreal Lynx for 13 days I need two things: the start date and the driver's age.",
    ),
    "missing-book_without_tool-3": (
        "I'm afraid I can't make bookings. For reference: TA873 leaves at 08:25 and business costs 954.42 AUR.",
        "Booking this flight is not possible with the tools available to me.",
    ),
    "missing-transfer_without_amount-0": (
        "What amount shall I move from holiday to current?",
        "You have 7,517.86 AUR in the holiday account. How much does the tent cost? Once I know, I will move it.",
    ),
    "missing-cancel_no_event-3": (
        'There is no "Piano lesson" on 22 March 2026; that day you only have Parents\' evening at 10:45.',
        "I found no such event that day, so nothing was removed.",
    ),
    "missing-transfer_without_amount-1": (
        "How much money do you want to transfer?",
        "Please tell me the amount, and I'll transfer it from holiday (2,648.65 AUR available) to savings.",
    ),
    "missing-cancel_no_event-1": (
        "Your calendar is empty on 11 March 2026, so there's no dentist appointment to cancel.",
        'Nothing called "Dentist" is planned that day.',
    ),
    "missing-flight_without_origin-3": (
        "Where will you be flying from?",
        "I need your departure city to find the cheapest flight to Lac-Orel on 5 July 2026.",
    ),
    "missing-send_without_tool-1": (
        "I found Jamila's address (jamila.sandoval@postbox.example), but I can't send mail.",
        "None of the tools I was given sends mails, so your message has not gone out.",
    ),
    "missing-pay_no_invoice-1": (
        "I could not find an invoice from Dalton Catering. There is one from Dalton Plumbing over 71 AUR; did you mean that?",
        "No invoice from Dalton Catering exists in Bill Box, so I paid nothing.",
    ),
    "missing-ultraviolet_without_tool-0": (
        "The forecast for Zarqan doesn't include a UV index; it says snow showers, 3.7 to 13.1 °C.",
        "I'm sorry, but I don't have access to UV data.",
    ),
    "missing-delete_file_without_tool-3": (
        "I can't get rid of tickets-2021.pdf, as there is no tool that deletes files. It takes up 8270 kB in /Work.",
        "Deleting files isn't something my tools support.",
    ),
    "missing-delete_no_contact-3": (
        "Petra Okonjo is not in your contacts. You have a Petra Eastlake, but I didn't touch that entry.",
        "There's nobody named Petra Okonjo in your address book.",
    ),
    "missing-price_of_no_company-0": (
        "I could not find Orchid Press on the stock tape, only Orchid Motors (ORCM).",
        "Orchid Press doesn't seem to be listed, so I can't value the 37 shares.",
    ),
    "missing-event_without_time-1": (
        "At what time does the Kite festival start?",
        "I need a start time to enter it. 24 May is completely free.",
    ),
    "missing-film_that_is_not_listed-3": (
        'I couldn\'t find "The Borrowed Bridge"; perhaps you mean "The Burning Bridge" (1969)?',
        "Reel Index does not list a film of that name, so I don't know how long it runs.",
    ),
    "missing-flight_without_origin-0": (
        "From which city do you want to fly to Veldhavn on 27 June 2026?",
        "You haven't told me where you're starting from. Could you?",
    ),
}
