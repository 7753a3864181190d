package io.sluice.center.change;

import io.sluice.center.command.Command;
import io.sluice.center.edit.Edits;
import io.sluice.center.edit.EditsJson;
import tools.jackson.databind.node.ObjectNode;

/** The commands on changes of rules. */
public sealed interface ChangeCommand extends Command {

    /** Opens a change on a base version. */
    record OpenChange(String title, String reason, long base, Edits edits) implements ChangeCommand {

        @Override
        public String kind() {
            return "open_change";
        }

        @Override
        public long expected() {
            return base;
        }

        @Override
        public void write(ObjectNode body) {
            body.put("title", title);
            body.set("content", EditsJson.tree(edits));
        }
    }

    /** Replaces the content of an open change. */
    record EditChange(long change, long revision, String title, String reason, long base, Edits edits)
            implements ChangeCommand {

        @Override
        public String kind() {
            return "edit_change";
        }

        @Override
        public long expected() {
            return revision;
        }

        @Override
        public void write(ObjectNode body) {
            body.put("change", change).put("title", title).put("base", base);
            body.set("content", EditsJson.tree(edits));
        }
    }

    /** Moves an open change to the version in force. */
    record RebaseChange(long change, long revision, long base) implements ChangeCommand {

        @Override
        public String kind() {
            return "rebase_change";
        }

        @Override
        public String reason() {
            return "";
        }

        @Override
        public long expected() {
            return revision;
        }

        @Override
        public void write(ObjectNode body) {
            body.put("change", change).put("base", base);
        }
    }

    /**
     * Closes a change without releasing it.
     *
     * @param rejected whether a person other than the author closes the change
     */
    record CloseChange(long change, String reason, boolean rejected) implements ChangeCommand {

        @Override
        public String kind() {
            return "close_change";
        }

        @Override
        public void write(ObjectNode body) {
            body.put("change", change).put("rejected", rejected);
        }
    }
}
