package io.sluice.center.stream;

import io.sluice.center.access.Access;
import io.sluice.center.access.Right;
import io.sluice.rules.json.JsonLine;
import io.sluice.runtime.data.DecisionEntry;
import java.util.Optional;
import java.util.function.BiPredicate;

/**
 * A refusal from the sample that nodes send.
 *
 * @param node the node that refused
 * @param second the second of publication, in seconds since 1970
 * @param sees whether a listener may read a rule
 */
record RefusalEvent(DecisionEntry entry, String node, long second, BiPredicate<Access, String> sees)
        implements StreamEvent {

    @Override
    public StreamTopic topic() {
        return StreamTopic.DECISIONS;
    }

    @Override
    public Optional<String> json(Access access, String rule) {
        boolean isFleetSeen = access.mayEverywhere(Right.SEE_FLEET);
        if ((!rule.isEmpty() && !rule.equals(entry.rule()))
                || !(entry.rule().isEmpty() ? isFleetSeen : sees.test(access, entry.rule()))) {
            return Optional.empty();
        }
        String json = entry.toJson();
        return Optional.of(
                isFleetSeen ? json.substring(0, json.length() - 1) + ",\"node\":" + JsonLine.of(node) + "}" : json);
    }
}
