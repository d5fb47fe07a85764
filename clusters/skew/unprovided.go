// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package skew

// Unprovided is the error of a change that needs something from outside of the cluster,
// such as a node image for which there is no room. It has changed nothing, and says nothing
// about the components of the cluster.
type Unprovided struct{ Err error }

func (e *Unprovided) Error() string { return e.Err.Error() }

// Unwrap returns what is missing.
func (e *Unprovided) Unwrap() error { return e.Err }
