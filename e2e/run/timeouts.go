// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"time"

	"github.com/draconform/draconform/e2e/suite/env"
)

// timeouts returns the limits of the waits of specs, scaled by TimeoutScale.
func (p *plan) timeouts() env.Timeouts {
	t := env.DefaultTimeouts()
	for _, d := range []*time.Duration{&t.PodStart, &t.Unschedulable, &t.Response, &t.Stable, &t.Deletion, &t.Recovery, &t.KubeletRetries, &t.HealthExpiry, &t.SliceRemoval} {
		*d = p.scaled(*d)
	}
	return t
}

// specLimit returns the timeout of one spec. It is longer if a driver file lets waits
// take longer than by default, because a spec consists of waits.
func (p *plan) specLimit() time.Duration {
	base, of := p.timeouts(), p.timeouts().For(p.described...)
	longer := 1.0
	for _, pair := range [][2]time.Duration{{of.PodStart, base.PodStart}, {of.Unschedulable, base.Unschedulable}, {of.Deletion, base.Deletion}, {of.Recovery, base.Recovery}} {
		longer = max(longer, float64(pair[0])/float64(pair[1]))
	}
	return time.Duration(longer * float64(p.scaled(specTimeout)))
}

// scaled scales a timeout by TimeoutScale.
func (p *plan) scaled(d time.Duration) time.Duration {
	return time.Duration(float64(d) * p.TimeoutScale)
}
