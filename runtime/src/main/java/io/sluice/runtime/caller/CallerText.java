package io.sluice.runtime.caller;

import io.sluice.rules.json.JsonLine;
import io.sluice.rules.yaml.JsonObject;
import java.util.List;

/** Questions and answers as JSON. Reading throws {@link IllegalArgumentException} if the text is anything else. */
public final class CallerText {

    private CallerText() {}

    public static void writeQuestions(JsonLine line, String name, List<CallerQuestion> questions) {
        line.list(name, questions, each -> line.field("id", each.id())
                .field("hash", each.hash())
                .field("kind", each.kind().word()));
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
