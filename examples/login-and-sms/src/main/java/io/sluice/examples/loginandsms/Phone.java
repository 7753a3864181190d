package io.sluice.examples.loginandsms;

import com.fasterxml.jackson.annotation.JsonCreator;

/**
 * A phone number in normal form, so that every way of typing it has the same count. {@link #toString} masks it, so logs never
 * show the whole number.
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
