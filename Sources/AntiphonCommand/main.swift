print("antiphon")
