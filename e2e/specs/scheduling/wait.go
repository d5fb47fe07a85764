// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"time"

	"github.com/draconform/draconform/e2e/suite/env"
)

// boundWait limits how long the spec waits for pods that an event should make
// schedulable. kube-scheduler retries unschedulable pods by itself when five
// minutes have passed, which would hide that it overlooked the event. Events of
// other specs would hide that too, so such specs run alone.
func boundWait(e *env.Env) {
	e.Timeouts.PodStart = min(e.Timeouts.PodStart, 3*time.Minute)
}
