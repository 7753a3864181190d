package io.sluice.runtime.fleet;

import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs one line when a center is lost, and one when it is back, although several parts of a process talk to it. If a center that
 * could not be reached answers with an error, that is logged too. Thread-safe.
 */
public final class OutageLog {

    private static final Logger LOG = LoggerFactory.getLogger(OutageLog.class);

    private final String lost;
    private final String back;
    private final Set<String> lostParts = new HashSet<>();
    private final Set<String> answers = new HashSet<>();

    /**
     * Creates a log.
     *
     * @param lost the sentence to log when the center is lost; the reason follows it
     * @param back the sentence to log when it is back
     */
    public OutageLog(String lost, String back) {
        this.lost = lost;
        this.back = back;
    }

    /**
     * Records that a part of the process has lost the center.
     *
     * @param part names the part
     */
    public synchronized void lost(String part, LostCenterException why) {
        boolean first = lostParts.isEmpty();
        lostParts.add(part);
        boolean news = why.answered() && answers.add(why.why());
        if (first || news) {
            LOG.warn("{}: {}", lost, why.why());
        }
    }

    /** Records that a part of the process has reached the center. */
    public synchronized void back(String part) {
        if (lostParts.remove(part) && lostParts.isEmpty()) {
            answers.clear();
            LOG.info("{}", back);
        }
    }
}
