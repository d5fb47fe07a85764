// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"context"
	"time"

	"k8s.io/klog/v2"

	"github.com/draconform/draconform/internal/variant"
)

const (
	// lateRegistration is how long a driver serves calls before it registers.
	lateRegistration = 10 * time.Second
	// registrationInterval is the interval at which a driver registers again.
	registrationInterval = 45 * time.Second
)

// register registers the driver with the kubelet: at once, or as a variant of the
// driver does until the context is done.
func (i *instance) register() error {
	switch {
	case variant.RegistersLate:
		i.stopRegistering = run(i.ctx, func(ctx context.Context) {
			pause(ctx, lateRegistration)
			i.registration.renew(ctx)
		})
		return nil
	case variant.RegistersAgain:
		i.stopRegistering = run(i.ctx, func(ctx context.Context) {
			for ctx.Err() == nil {
				pause(ctx, registrationInterval)
				i.registration.renew(ctx)
			}
		})
	}
	return i.registration.offer()
}

// renew removes the socket and creates it again, unless the driver was told not
// to be registered.
func (r *registration) renew(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ctx.Err() != nil || r.withdrawn {
		return
	}
	r.remove()
	if err := r.create(); err != nil {
		klog.FromContext(ctx).Error(err, "Could not register again")
	}
}
