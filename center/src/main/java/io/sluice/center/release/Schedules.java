package io.sluice.center.release;

import io.sluice.center.duty.Duty;
import io.sluice.center.log.LogText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries out scheduled releases. A schedule that came due while no center was running is carried out late. */
public final class Schedules implements Duty {

    private static final Logger LOG = LoggerFactory.getLogger(Schedules.class);

    private final Releases releases;

    public Schedules(Releases releases) {
        this.releases = releases;
    }

    @Override
    public void turn(boolean leads) {
        if (!leads) {
            return;
        }
        for (Rollout due : releases.due()) {
            Rollout fired = releases.fire(due.id());
            if (fired.state() == RolloutState.FAILED) {
                LOG.warn(
                        "the scheduled release of change {} was refused: {}",
                        fired.order().change(),
                        LogText.line(fired.progress().problem()));
            } else {
                LOG.info(
                        "the scheduled release of change {} began as version {}",
                        fired.order().change(),
                        fired.version());
            }
        }
    }
}
