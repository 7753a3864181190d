/** The settings for the address of a center, its certificate and its ways of signing in. */
@NullMarked
package io.sluice.center.signin.settings;

import org.jspecify.annotations.NullMarked;
