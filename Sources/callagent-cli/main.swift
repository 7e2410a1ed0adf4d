print("callagent")
