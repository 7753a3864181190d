package io.sluice.spring.web;

/** On Reactor Netty. */
final class ReactiveLimitsTest extends LimitedApplications {

    @Override
    RunningApp.Starting app() {
        return new RunningApp.Starting(true, ReactiveApp.class);
    }

    @Override
    void open(RunningApp app, String result) {
        app.bean(ReactiveApp.Gate.class).result.get().complete(result);
    }
}
