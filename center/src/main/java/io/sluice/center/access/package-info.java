/** Access control: roles, rights, and the table of all endpoints. Pure functions. */
@NullMarked
package io.sluice.center.access;

import org.jspecify.annotations.NullMarked;
