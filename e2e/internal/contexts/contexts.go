// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package contexts provides contexts that end because another one has ended.
package contexts

import "context"

// EndingWith returns a copy of ctx that also ends when other ends. Its cause is what why
// returns then. If that is nil, the copy does not end. stop releases the resources of the
// copy, and ends it.
func EndingWith(ctx, other context.Context, why func() error) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	undo := context.AfterFunc(other, func() {
		if cause := why(); cause != nil {
			cancel(cause)
		}
	})
	return ctx, func() { undo(); cancel(nil) }
}
