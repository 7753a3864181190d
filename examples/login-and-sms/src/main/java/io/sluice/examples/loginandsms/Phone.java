package io.sluice.examples.loginandsms;

import com.fasterxml.jackson.annotation.JsonCreator;

/**
 * A phone number in one form, however it was typed, so that it has one count. As text it is masked: logs never have it
 * whole.
 */
record Phone(String number) {

    Phone {
        if (!number.matches("\\+[1-9][0-9]{6,14}")) {
            throw new IllegalArgumentException("phone: not a number (expected: + with country code, 7 to 15 digits)");
        }
    }

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    static Phone parse(String typed) {
        return new Phone(typed.replaceAll("[\\s().-]", ""));
    }

    @Override
    public String toString() {
        return "***" + number.substring(number.length() - 2);
    }
}
