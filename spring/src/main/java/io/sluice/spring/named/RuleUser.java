package io.sluice.spring.named;

import java.util.List;

/** A part of the application that names rules. */
public interface RuleUser {

    /** Returns the rules that are known to be named when the application starts. */
    List<RuleReference> named();
}
