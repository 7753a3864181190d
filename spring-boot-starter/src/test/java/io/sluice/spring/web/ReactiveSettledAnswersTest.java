package io.sluice.spring.web;

/** Runs {@link SettledAnswers} on Reactor Netty. */
final class ReactiveSettledAnswersTest extends SettledAnswers {

    @Override
    RunningApp app() {
        return new RunningApp.Starting(true, ReactiveApp.class, Answers.class).rules(RULES);
    }
}
