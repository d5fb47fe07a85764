// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"context"
	"fmt"
	"syscall"

	"k8s.io/apimachinery/pkg/types"

	fakeclaims "github.com/draconform/draconform/fakedriver/claims"
	"github.com/draconform/draconform/fakedriver/control"
)

// SetDisk fills the disks that the driver writes to, or makes room on them.
func (d *Driver) SetDisk(_ context.Context, _ string, disk fakeclaims.Disk) error {
	d.cluster.mu.Lock()
	defer d.cluster.mu.Unlock()
	d.disk = disk
	return nil
}

// Damage does nothing: a driver that is right handles any damage, and the driver
// here has no files. [DriverMistakes.RestartForgets] is a driver that does not.
func (d *Driver) Damage(context.Context, string, control.Damage) error { return nil }

// store imitates that the driver writes the files of a claim that it prepares.
func (d *Driver) store(claim types.NamespacedName, uid types.UID) error {
	mistakes := d.cluster.Mistakes
	for other := range d.failed {
		if other != uid && mistakes.HoldsFailed {
			return fmt.Errorf("prepare claim %s: claim %s has the device", claim, other)
		}
	}
	if err := d.refuse(claim, uid); err != nil {
		return err
	}
	isFull := d.disk != fakeclaims.Disk{} || d.failed[uid] && mistakes.StaysFull
	if !isFull || mistakes.IgnoresFullDisk {
		delete(d.failed, uid)
		return nil
	}
	d.failed[uid] = true
	return fmt.Errorf("prepare claim %s: %w", claim, syscall.ENOSPC)
}

// storeUnprepared imitates that the driver removes the CDI file of a claim and then stores
// that the claim is not prepared any more. It reports whether that is stored.
func (d *Driver) storeUnprepared(claim types.NamespacedName, uid types.UID) (bool, error) {
	mistakes := d.cluster.Mistakes
	switch {
	case d.prepared[claim] != uid:
		return true, nil
	case d.halfway[uid] && mistakes.NeedsFiles:
		return false, fmt.Errorf("unprepare claim %s: it has no CDI file", claim)
	case !d.disk.CheckpointFull:
		delete(d.halfway, uid)
		return true, nil
	case mistakes.ForgetsUnstored:
		return false, nil
	}
	d.halfway[uid] = true
	return false, fmt.Errorf("unprepare claim %s: %w", claim, syscall.ENOSPC)
}

// discard imitates that the driver removes the files of a claim that it has failed
// to prepare.
func (d *Driver) discard(uid types.UID) {
	if !d.cluster.Mistakes.HoldsFailed {
		delete(d.failed, uid)
	}
}
