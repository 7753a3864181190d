package io.sluice.center;

import java.util.List;
import java.util.OptionalLong;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a verification of an exported audit log found. Immutable.
 *
 * @param conclusion one line that begins with {@code verified}, {@code NOT verified} or {@code BROKEN}
 * @param log the id of the log
 * @param rows how many rows with their content there are
 * @param firstBad the first row that is bad or missing; empty if there is none
 * @param integrity whether each row is what was once written
 * @param completeness whether all rows are there
 * @param witnessed what nodes say
 * @param witnessedUntil the last row that a witness vouches for; 0 if none does
 * @param nodes how many witnesses vouch up to that row
 */
public record AuditVerdict(
        State state,
        String conclusion,
        String log,
        long rows,
        OptionalLong firstBad,
        Section integrity,
        Section completeness,
        Section witnessed,
        long witnessedUntil,
        int nodes) {

    /** The conclusions. */
    public enum State {
        /** Nothing is wrong, the key is trusted, and a witness agrees. */
        VERIFIED,
        /** Nothing is wrong, but the key or a witness is missing. */
        NOT_VERIFIED,
        /** Something is wrong. */
        BROKEN
    }

    /** One question and its answer, as sentences. */
    public record Section(boolean good, List<String> lines) {

        public Section {
            lines = List.copyOf(lines);
        }
    }

    /** Returns it as JSON on one line. */
    public String toJson() {
        JsonMapper mapper = JsonMapper.shared();
        ObjectNode json = mapper.createObjectNode()
                .put("verified", state == State.VERIFIED)
                .put("broken", state == State.BROKEN)
                .put("conclusion", conclusion)
                .put("log", log)
                .put("rows", rows);
        firstBad.ifPresentOrElse(row -> json.put("first_bad", row), () -> json.putNull("first_bad"));
        put(json, "integrity", integrity);
        put(json, "completeness", completeness);
        put(json, "witnessed", witnessed).put("until", witnessedUntil).put("nodes", nodes);
        return mapper.writeValueAsString(json);
    }

    private static ObjectNode put(ObjectNode json, String name, Section section) {
        ObjectNode object = json.putObject(name).put("good", section.good());
        section.lines().forEach(object.putArray("lines")::add);
        return object;
    }
}
