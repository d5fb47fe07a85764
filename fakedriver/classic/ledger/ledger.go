// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package ledger stores which claim holds which device of a driver in a ConfigMap,
// before the claim has its allocation. A driver that was killed in between finds
// it there, as a real one finds a device that is attached already. Two instances of a
// driver that run at the same time cannot give a device to two claims.
package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"

	"github.com/draconform/draconform/fakedriver/classic/inventory"
)

// Claim identifies a claim that holds devices.
type Claim struct {
	Namespace string    `json:"namespace"`
	Name      string    `json:"name"`
	UID       types.UID `json:"uid"`
}

// Held maps devices to the claims that hold them.
type Held map[inventory.Device]Claim

// Used returns the devices that other claims hold.
func (h Held) Used(except ...types.UID) map[inventory.Device]bool {
	used := map[inventory.Device]bool{}
	for d, claim := range h {
		if !slices.Contains(except, claim.UID) {
			used[d] = true
		}
	}
	return used
}

// Of returns the devices of a claim, sorted.
func (h Held) Of(claim types.UID) []inventory.Device {
	var devices []inventory.Device
	for d, by := range h {
		if by.UID == claim {
			devices = append(devices, d)
		}
	}
	slices.SortFunc(devices, func(a, b inventory.Device) int { return strings.Compare(a.String(), b.String()) })
	return devices
}

// Ledger is the ConfigMap of a driver.
type Ledger struct {
	Client kubernetes.Interface
	// Namespace and Name are those of the ConfigMap. It is created if necessary.
	Namespace, Name string
}

// key is the key of the whole content, so that names of pools need not be valid keys.
const key = "devices"

// entry is a line of the content.
type entry struct {
	inventory.Device

	Claim Claim `json:"claim"`
}

// Read returns the content.
func (l Ledger) Read(ctx context.Context) (Held, error) {
	stored, _, err := l.get(ctx)
	if err != nil {
		return nil, err
	}
	return decode(stored)
}

// Change changes the content. It calls change again if another process has changed the
// content meanwhile. Nothing is written if change returns an error or changes nothing.
func (l Ledger) Change(ctx context.Context, change func(Held) error) error {
	return retry.OnError(retry.DefaultRetry, retriable, func() error {
		stored, exists, err := l.get(ctx)
		if err != nil {
			return err
		}
		held, err := decode(stored)
		if err != nil {
			return err
		}
		before := maps.Clone(held)
		if err := change(held); err != nil || maps.Equal(before, held) {
			return err
		}
		return l.write(ctx, stored, exists, held)
	})
}

func retriable(err error) bool { return apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) }

// get returns the ConfigMap, without data if it does not exist.
func (l Ledger) get(ctx context.Context) (stored *corev1.ConfigMap, exists bool, err error) {
	stored, err = l.Client.CoreV1().ConfigMaps(l.Namespace).Get(ctx, l.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: l.Namespace, Name: l.Name}}, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("read the devices in use: %w", err)
	}
	return stored, true, nil
}

func decode(stored *corev1.ConfigMap) (Held, error) {
	held := Held{}
	if stored.Data[key] == "" {
		return held, nil
	}
	var entries []entry
	if err := json.Unmarshal([]byte(stored.Data[key]), &entries); err != nil {
		return nil, fmt.Errorf("read the devices in use from ConfigMap %s/%s: %w", stored.Namespace, stored.Name, err)
	}
	for _, e := range entries {
		held[e.Device] = e.Claim
	}
	return held, nil
}

// write writes the content. The error of a concurrent change is not wrapped, so that it
// is recognized.
func (l Ledger) write(ctx context.Context, stored *corev1.ConfigMap, exists bool, held Held) error {
	entries := []entry{}
	for d, claim := range held {
		entries = append(entries, entry{d, claim})
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.String(), b.String()) })
	content, err := json.Marshal(entries)
	if err != nil {
		return err
	}
	changed := stored.DeepCopy()
	changed.Data = map[string]string{key: string(content)}
	if exists {
		_, err = l.Client.CoreV1().ConfigMaps(l.Namespace).Update(ctx, changed, metav1.UpdateOptions{})
	} else {
		_, err = l.Client.CoreV1().ConfigMaps(l.Namespace).Create(ctx, changed, metav1.CreateOptions{})
	}
	return err
}
