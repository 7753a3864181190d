/** Changes: proposals to edit rules, like pull requests. */
@NullMarked
package io.sluice.center.change;

import org.jspecify.annotations.NullMarked;
