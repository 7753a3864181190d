package io.sluice.rules.yaml;

import java.util.Optional;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.ParserException;
import org.snakeyaml.engine.v2.parser.Parser;

/** Stops a parser at type tags and at nesting that would exhaust the stack of whoever builds the tree. */
final class GuardedParser implements Parser {

    private static final int DEEPEST = 50;

    private final Parser parser;
    private int depth;

    GuardedParser(Parser parser) {
        this.parser = parser;
    }

    @Override
    public boolean checkEvent(Event.ID choice) {
        return parser.checkEvent(choice);
    }

    @Override
    public Event peekEvent() {
        return parser.peekEvent();
    }

    @Override
    public boolean hasNext() {
        return parser.hasNext();
    }

    @Override
    public Event next() {
        Event event = parser.next();
        if (event instanceof CollectionStartEvent start) {
            refuse(event, start.getTag());
            if (++depth > DEEPEST) {
                throw new ParserException(
                        "nesting: deeper than " + DEEPEST + " (expected: at most " + DEEPEST + ")",
                        event.getStartMark());
            }
        } else if (event instanceof CollectionEndEvent) {
            depth--;
        } else if (event instanceof ScalarEvent scalar) {
            refuse(event, scalar.getTag());
        }
        return event;
    }

    private static void refuse(Event event, Optional<String> tag) {
        if (tag.isPresent()) {
            throw new ParserException("tag: " + Shown.text(tag.get()) + " (expected: no tags)", event.getStartMark());
        }
    }
}
