package io.sluice.center.alert;

import io.sluice.center.personal.FreeText;
import io.sluice.center.personal.PersonalData;
import java.util.List;

/** The reasons of silences. */
public final class SilenceData implements PersonalData {

    @Override
    public List<FreeText> texts() {
        return List.of(new FreeText("alert_silence", "id", "reason"));
    }
}
