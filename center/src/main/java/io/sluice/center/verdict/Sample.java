package io.sluice.center.verdict;

import java.util.List;

/** The counts of both arms in the same interval on the same nodes. */
public record Sample(Arm trial, Arm control) {

    public static final Sample NONE = new Sample(new Arm(List.of()), new Arm(List.of()));

    public boolean isEmpty() {
        return trial.total().requests() == 0 || control.total().requests() == 0;
    }
}
