// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package problem

import (
	"sync"

	"k8s.io/dynamic-resource-allocation/cel"
)

// Compiling an expression costs a hundred times more than anything else in this
// package. Therefore all problems of a process with the same language share one
// cache.
var celCaches sync.Map // cel.Features to *cel.Cache

// celCacheSize is larger than the number of different expressions in a test.
const celCacheSize = 4096

// CELCache returns a cache of compiled expressions for the features of the
// problem. It is shared with other problems.
func (p *Problem) CELCache() *cel.Cache {
	enabled := p.Enabled()
	language := cel.Features{
		EnableConsumableCapacity: enabled.ConsumableCapacity,
		EnableListTypeAttributes: enabled.ListTypeAttributes,
	}
	if cache, found := celCaches.Load(language); found {
		return cache.(*cel.Cache)
	}
	cache, _ := celCaches.LoadOrStore(language, cel.NewCache(celCacheSize, language))
	return cache.(*cel.Cache)
}
