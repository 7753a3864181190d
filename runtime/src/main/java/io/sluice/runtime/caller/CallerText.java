package io.sluice.runtime.caller;

import io.sluice.rules.json.JsonLine;
import io.sluice.rules.yaml.JsonObject;
import io.sluice.runtime.caller.CallerQuestion.Kind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Questions and answers as JSON. Reading throws {@link IllegalArgumentException} if the text is anything else. */
public final class CallerText {

    private CallerText() {}

    /** Writes the questions about callers. */
    public static void writeQuestions(JsonLine line, String name, List<CallerQuestion> questions) {
        List<CallerQuestion> some =
                questions.stream().filter(each -> each.kind() != Kind.REQUEST).toList();
        if (!some.isEmpty()) {
            line.list(name, some, each -> line.field("id", each.id())
                    .field("hash", each.hash())
                    .field("kind", each.kind().word()));
        }
    }

    /** Writes the questions about requests. They have their own list, because older nodes do not know this kind and skip the list. */
    public static void writeRequests(JsonLine line, String name, List<CallerQuestion> questions) {
        List<CallerQuestion> some =
                questions.stream().filter(each -> each.kind() == Kind.REQUEST).toList();
        if (!some.isEmpty()) {
            // People choose the names of attributes, so they are written as the keys of a map, which are escaped.
            line.list(name, some, each -> line.field("id", each.id())
                    .field("attributes", (Object) new TreeMap<>(each.request())));
        }
    }

    public static List<CallerQuestion> requests(JsonObject fields, String name) {
        return fields.objects(name).stream()
                .map(each -> CallerQuestion.about(each.whole("id", 0, Long.MAX_VALUE), attributes(each)))
                .toList();
    }

    private static Map<String, String> attributes(JsonObject question) {
        Map<String, String> all = new HashMap<>();
        question.object("attributes")
                .ifPresent(given -> given.names().forEach(name -> all.put(name, given.text(name))));
        return all;
    }

    public static List<CallerQuestion> questions(JsonObject fields, String name) {
        return fields.objects(name).stream()
                .map(each -> new CallerQuestion(
                        each.whole("id", 0, Long.MAX_VALUE),
                        each.text("hash"),
                        CallerQuestion.Kind.of(each.text("kind"))))
                .toList();
    }

    public static void writeAnswers(JsonLine line, String name, List<CallerAnswer> answers) {
        line.list(name, answers, each -> {
            line.field("id", each.id());
            each.content().ifPresent(content -> line.field("content", content));
        });
    }

    public static List<CallerAnswer> answers(JsonObject fields, String name) {
        return fields.objects(name).stream()
                .map(each -> new CallerAnswer(each.whole("id", 0, Long.MAX_VALUE), each.optionalText("content")))
                .toList();
    }
}
