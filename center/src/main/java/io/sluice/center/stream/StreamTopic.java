package io.sluice.center.stream;

import io.sluice.center.refusal.RefusedException;
import io.sluice.rules.yaml.PrintableText;
import java.util.EnumSet;
import java.util.Set;

/** A topic that a listener can subscribe to. */
enum StreamTopic {
    COUNTS("counts"),
    DECISIONS("decisions"),
    NODES("nodes"),
    ALERTS("alerts"),
    RELEASES("releases");

    private final String word;

    StreamTopic(String word) {
        this.word = word;
    }

    private static final int LONGEST_SHOWN = 50;

    /** Returns the name in the API. */
    String word() {
        return word;
    }

    /**
     * Returns the topic with this name.
     *
     * @throws IllegalArgumentException if there is none
     */
    static StreamTopic of(String word) {
        for (StreamTopic topic : values()) {
            if (topic.word().equals(word)) {
                return topic;
            }
        }
        String shown = word.length() > LONGEST_SHOWN ? word.substring(0, LONGEST_SHOWN) : word;
        throw new IllegalArgumentException("topics: " + PrintableText.text(shown)
                + " (expected: some of counts, decisions, nodes, alerts and releases, with commas)");
    }

    /** Returns the topics of a request; all of them if it names none. */
    static Set<StreamTopic> list(String words) {
        if (words.isEmpty()) {
            return EnumSet.allOf(StreamTopic.class);
        }
        Set<StreamTopic> topics = EnumSet.noneOf(StreamTopic.class);
        try {
            for (String word : words.split(",", -1)) {
                topics.add(of(word.strip()));
            }
        } catch (IllegalArgumentException e) {
            throw RefusedException.invalid(String.valueOf(e.getMessage()));
        }
        return topics;
    }
}
