package io.sluice.replay.advice;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.Windows;
import io.sluice.core.limit.Windows.Window;
import io.sluice.replay.report.ReportTime;
import io.sluice.replay.run.ReplayResult;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.model.RuleUse;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A limit and the measurements about it, which each pass adds to. Not thread-safe. */
final class LimitCase {

    /** The minimum number of requests. Fewer requests are not typical of the traffic. */
    static final long FEWEST_REQUESTS = 100;

    /**
     * The part of a window, in tenths, that the log has to cover. It is not the whole, because a log of a day does not begin
     * with the first microsecond of the day.
     */
    private static final long ENOUGH_TENTHS = 9;

    /** If more requests than this, in percent, lack a duration, the peak of concurrent requests is unknown. */
    private static final long MOST_WITHOUT_DURATION = 10;

    final Rule rule;
    final int position;
    final RuleLimit own;

    /** The limit that refuses no request, with the rate that is measured now. */
    Limit open;

    /** The reason why the number stays as it is; null while the limit is advised. */
    @Nullable
    String kept;

    CallerTable needs;
    long requests;
    long withoutDuration;
    long mostPermits = 1;
    boolean full;

    Optional<Rate> rate;

    /** The number that the log needs. */
    long number;

    LimitCase(Rule rule, int position, CallerTable.Room room) {
        this.rule = rule;
        this.position = position;
        this.own = rule.limits().get(position);
        this.needs = new CallerTable(room);
        this.rate = LimitNumbers.rate(own.limit());
        this.open = LimitNumbers.open(own.limit(), rate, 0);
        this.number = LimitNumbers.number(own.limit());
        this.kept = idle();
    }

    String id() {
        return own.id();
    }

    boolean isAdvised() {
        return kept == null;
    }

    boolean isBucket() {
        return rate.isPresent();
    }

    private @Nullable String idle() {
        if (!rule.enabled()) {
            return "the rule is disabled";
        }
        if (rule.protocol().isPresent() || rule.use() == RuleUse.CODE || rule.action() != Action.LIMIT) {
            return "no request of a log can match the rule";
        }
        if (rule.countsAnswers()) {
            return "it counts answers";
        }
        return own.limit().capacity() == 0 ? "it refuses everything" : null;
    }

    /** Decides whether the log suffices for advice on this limit. */
    void judge(ReplayResult log, long spanMicros) {
        if (kept != null) {
            return;
        }
        long window = windowMicros(spanMicros);
        if (requests == 0) {
            kept = "no request matches";
        } else if (requests < FEWEST_REQUESTS) {
            kept = "only " + requests + " requests";
        } else if (own.limit().kind().holds() && withoutDuration * 100 > requests * MOST_WITHOUT_DURATION) {
            kept = "the log lacks durations";
        } else if (full) {
            kept = "needs more than " + LimitNumbers.largest(own.limit()) + ", the most of "
                    + own.limit().algorithm();
        } else if (covered(log.fromMicros(), log.toMicros() + 1, window) * 10 < window * ENOUGH_TENTHS) {
            kept = "the log covers " + ReportTime.span(log.toMicros() - log.fromMicros()) + " of "
                    + ReportTime.span(window);
        }
    }

    /** Returns the time in which callers use the number: the window, or the span in which bursts happen. */
    long windowMicros(long spanMicros) {
        if (own.limit().kind().holds()) {
            return 0;
        }
        return LimitNumbers.rate(own.limit())
                .map(today -> Math.max(spanMicros, today.perMicros()))
                .orElse(own.limit().windowMicros());
    }

    /** Returns the longest part of one window that a log covers. */
    private long covered(long from, long to, long window) {
        Windows windows = own.limit().windows();
        if (windows == null) {
            return Math.min(window, to - from);
        }
        Window first = windows.at(from);
        Window next = windows.at(first.endMicros());
        Window last = windows.at(to);
        return Math.max(overlap(first, from, to), Math.max(overlap(next, from, to), overlap(last, from, to)));
    }

    private static long overlap(Window window, long from, long to) {
        return Math.min(window.endMicros(), to) - Math.max(window.startMicros(), from);
    }

    /** Returns the limit with the numbers that the log needs. */
    Limit needed() {
        return isAdvised() ? LimitNumbers.with(own.limit(), rate, number) : own.limit();
    }

    /** Returns the limit with headroom. */
    Limit suggested(Share headroom) {
        if (!isAdvised()) {
            return own.limit();
        }
        Rate today = LimitNumbers.rate(own.limit()).orElse(null);
        Optional<Rate> more =
                today == null ? Optional.empty() : rate.map(each -> RateGrid.withHeadroom(today, each, headroom));
        long most = LimitNumbers.largest(own.limit());
        return LimitNumbers.with(own.limit(), more, Math.min(most, headroom.onTopOf(number)));
    }
}
