// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package drivers

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite/env"
)

// ExpectCalledTogether asserts that the kubelet has called a method of a driver
// on a node for all of the claims together: each call that names one of them
// names all of them and no others, with their UIDs. The keys are the names of
// the claims.
func ExpectCalledTogether(ctx context.Context, e *env.Env, driver, node, method string, uids map[string]string) {
	ginkgo.GinkgoHelper()
	names := slices.Sorted(maps.Keys(uids))
	ginkgo.By(fmt.Sprintf("checking that %s was called for claims %v together", method, names))
	var all []string
	for _, name := range names {
		all = append(all, e.Namespace+"/"+name)
	}
	for _, name := range names {
		got := GetCalls(ctx, e, driver, node, method, name)
		gomega.Expect(got).NotTo(gomega.BeEmpty(), "the kubelet should call %s for claim %s", method, name)
		for _, call := range got {
			gomega.Expect(call.UID).To(gomega.Equal(uids[name]), "%s should be called with the UID of claim %s", method, name)
			gomega.Expect(call.Claims).To(gomega.ConsistOf(all), "%s should be called for all claims of the pod together", method)
		}
	}
}
