package io.sluice.node.gateway.auth;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Provides the issuers' keys and keeps them up to date until it is closed. Thread-safe; never blocks. */
interface KeySupply extends AutoCloseable {

    /** Returns the newest known keys, or null if there are none yet. */
    @Nullable
    KeyRing latest();

    /** Returns newer keys if a fetch is due, otherwise the known keys immediately. Never fails. */
    CompletionStage<@Nullable KeyRing> newer();

    /** Returns the current problem; empty if there is none. */
    String fault();

    @Override
    void close();
}
