// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"time"

	"github.com/draconform/draconform/e2e/suite/env"
)

// boundWait limits how long the spec waits for pods. kube-scheduler retries unschedulable
// pods by itself when five minutes have passed, which would hide that they were not
// schedulable in time. Events of other specs may hide that too, see
// [env.Env.BoundWakeUps].
func boundWait(e *env.Env) {
	e.Timeouts.PodStart = min(e.Timeouts.PodStart, 3*time.Minute)
}
