// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// maxUsers is the number of pods that [deviceOnNode.useEach] starts at most.
const maxUsers = 4

// useEach starts pods on the node with such a device each, one after the other, until they use
// all of the given devices, which are free. It returns the pods. A scheduler may choose other
// devices first.
func (d deviceOnNode) useEach(ctx context.Context, e *env.Env, free []audit.DeviceID) []string {
	ginkgo.GinkgoHelper()
	free = slices.Clone(free)
	var users []string
	for i := 0; len(free) > 0; i++ {
		if i == maxUsers {
			e.NotApplicable(fmt.Sprintf("needs pods that use devices again which were used before, and the scheduler chose others than %v", free))
		}
		users = append(users, d.start(ctx, e, fmt.Sprintf("next-%d", i)))
		used := pods.WaitForRunning(ctx, e, users[i])
		free = slices.DeleteFunc(free, func(device audit.DeviceID) bool { return slices.Contains(used, device) })
	}
	return users
}
