package io.sluice.spring.boot;

import io.sluice.http.answer.AnswerJson;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.runtime.participant.Participant;
import java.util.List;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Lets the application take part in its fleet after all beans that it reports about exist. */
final class ParticipantStart implements SmartInitializingSingleton {

    private final Participant participant;
    private final Evaluator evaluator;
    private final SluiceState state;
    private final String name;

    /** @param name the name of the application for people */
    ParticipantStart(Participant participant, Evaluator evaluator, SluiceState state, String name) {
        this.participant = participant;
        this.evaluator = evaluator;
        this.state = state;
        this.name = name;
    }

    @Override
    public void afterSingletonsInstantiated() {
        var unused = participant.start();
        participant.join(name, evaluator, AnswerJson::explain, state::findings, List.of());
    }
}
