package io.sluice.center;

import java.util.List;
import java.util.OptionalLong;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The result of the verification of an exported audit log. Immutable.
 *
 * @param conclusion one line that starts with {@code verified}, {@code NOT verified} or {@code BROKEN}
 * @param log the id of the log
 * @param rows the number of rows with their content
 * @param firstBad the first row that is bad or missing; empty if there is none
 * @param integrity whether each row is unchanged since it was written
 * @param completeness whether all rows are present
 * @param witnessed the statements of witnesses
 * @param witnessedUntil the last row that a witness confirms; 0 if there is none
 * @param nodes the number of witnesses that confirm the rows up to that one
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
        /** No problem was found, the key is trusted, and a witness agrees. */
        VERIFIED,
        /** No problem was found, but the key or a witness is missing. */
        NOT_VERIFIED,
        /** A problem was found. */
        BROKEN
    }

    /** One question and its answer, as sentences. */
    public record Section(boolean good, List<String> lines) {

        public Section {
            lines = List.copyOf(lines);
        }
    }

    /** Returns the verdict as JSON on one line. */
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
