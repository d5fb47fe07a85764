// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"context"
	"errors"
	"fmt"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	"k8s.io/klog/v2"

	"github.com/draconform/draconform/internal/variant"
)

const (
	// lateRegistration is how long a driver serves calls before it registers.
	lateRegistration = 10 * time.Second
	// registrationInterval is the interval at which a driver registers again.
	registrationInterval = 45 * time.Second
	// lateStatus is how long after it has prepared a claim a driver writes the status
	// of its devices.
	lateStatus = 10 * time.Second
)

// writeLate writes the status of the devices of a claim some time after they were prepared, unless
// another call has written it meanwhile: conditions that stay the same keep their times.
func (w *statusWriter) writeLate(ctx context.Context, claim *resourceapi.ResourceClaim, devices []kubeletplugin.Device) error {
	pause(ctx, lateStatus)
	w.late.Lock()
	defer w.late.Unlock()
	latest, err := w.client.ResourceV1().ResourceClaims(claim.Namespace).Get(ctx, claim.Name, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("read claim %s/%s before its device status is written: %w", claim.Namespace, claim.Name, err)
	}
	if latest.UID == claim.UID {
		claim = latest
	}
	return w.write(ctx, claim, devices)
}

// failTogether makes all claims of a call fail if one of them does.
func failTogether(results map[types.UID]kubeletplugin.PrepareResult) {
	var errs []error
	for _, result := range results {
		errs = append(errs, result.Err)
	}
	err := errors.Join(errs...)
	for uid := range results {
		if err != nil {
			results[uid] = kubeletplugin.PrepareResult{Err: err}
		}
	}
}

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
