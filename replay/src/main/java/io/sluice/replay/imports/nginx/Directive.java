package io.sluice.replay.imports.nginx;

import io.sluice.replay.imports.draft.Spot;
import java.util.List;

/**
 * A directive of nginx: a name, its arguments, and the directives in its block.
 *
 * @param block the directives in its block; empty if it has no block or an empty block
 */
record Directive(Spot spot, String name, List<String> arguments, List<Directive> block) {

    Directive {
        arguments = List.copyOf(arguments);
        block = List.copyOf(block);
    }

    /** Returns an argument, or an empty text if it does not exist. */
    String argument(int index) {
        return index < arguments.size() ? arguments.get(index) : "";
    }

    /** Returns the last argument, or an empty text if there is none. */
    String lastArgument() {
        return arguments.isEmpty() ? "" : arguments.get(arguments.size() - 1);
    }

    /** Returns the directives of its block that have this name. */
    List<Directive> all(String wanted) {
        return block.stream().filter(each -> each.name().equals(wanted)).toList();
    }
}
