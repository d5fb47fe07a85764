// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package allocator

import "github.com/draconform/draconform/allocator/internal/search"

// PruneAtOnce makes the allocator search with all prunings except the skipped ones from the first step on.
func (a *Allocator) PruneAtOnce(skip search.Pruning) {
	a.limits.PruneAtOnce, a.limits.Skip = true, skip
}
