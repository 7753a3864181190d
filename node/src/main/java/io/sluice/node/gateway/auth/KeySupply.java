package io.sluice.node.gateway.auth;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Where the keys of issuers are at hand. Safe for use by many threads. */
interface KeySupply {

    /** The newest that are known; null if there are none yet. */
    @Nullable
    KeyRing latest();

    /** Newer ones, if it is time to ask for them; else those that are known, at once. Never fails. */
    CompletionStage<@Nullable KeyRing> newer();

    /** Called every now and then by the thread that keeps keys up to date. */
    void look();

    /** What is wrong; empty if nothing is. */
    String fault();
}
