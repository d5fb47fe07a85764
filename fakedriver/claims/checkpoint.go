// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"

	"github.com/draconform/draconform/fakedriver/devenv"
	"github.com/draconform/draconform/internal/fault"
)

const (
	checkpointFile    = "checkpoint.json"
	checkpointVersion = 1
)

// checkpoint is the content of the checkpoint file: all state that the driver
// needs after a restart. A CDI spec can be derived from it without the claim
// and without the model, which may both have changed in the meantime.
type checkpoint struct {
	Version int                         `json:"version"`
	Claims  map[types.UID]preparedClaim `json:"claims"`
	// Created and Destroyed count partitions.
	Created   int `json:"created,omitempty"`
	Destroyed int `json:"destroyed,omitempty"`
	// Checksum is the SHA-256 checksum of all other fields. It is empty in a
	// file of the previous version, which neither writes nor verifies it.
	Checksum string `json:"checksum,omitempty"`
}

// sum returns the checksum of a checkpoint.
func (c checkpoint) sum() (string, error) {
	c.Checksum = ""
	data, err := json.Marshal(c)
	if err != nil {
		return "", fmt.Errorf("encode checkpoint: %w", err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

type preparedClaim struct {
	Namespace string           `json:"namespace"`
	Name      string           `json:"name"`
	Devices   []preparedDevice `json:"devices"`
	// Recovered is set if the claim was not in a checkpoint and was only found
	// to be in use. Such a claim may never have been prepared.
	Recovered bool `json:"recovered,omitempty"`
}

type preparedDevice struct {
	devenv.Device
	// Devices with AdminAccess may be held by other claims at the same time.
	AdminAccess bool `json:"adminAccess,omitempty"`
	// Partition is set for a device that exists only while it is prepared.
	Partition bool `json:"partition,omitempty"`
	// Metadata are the attributes in the form of the standard device metadata.
	Metadata map[string]resourceapi.DeviceAttribute `json:"metadata,omitempty"`
	// Consumed is the capacity of the device that a share consumes.
	Consumed map[resourceapi.QualifiedName]resource.Quantity `json:"consumedCapacity,omitempty"`
	// Affinity are the affinity values that the claim states for a shared
	// device.
	Affinity map[string]string `json:"affinity,omitempty"`
}

func (c preparedClaim) String() string { return c.Namespace + "/" + c.Name }

func newCheckpoint() checkpoint {
	return checkpoint{Version: checkpointVersion, Claims: map[types.UID]preparedClaim{}}
}

// errCorrupt indicates that a file exists and its content is invalid.
var errCorrupt = errors.New("the file is corrupt")

// loadCheckpoint reads the checkpoint. It returns an empty checkpoint if the
// file does not exist. The error wraps errCorrupt if the content is invalid.
func (c Config) loadCheckpoint() (checkpoint, error) {
	if fault.ForgetsCheckpoint {
		return newCheckpoint(), nil
	}
	path := filepath.Join(c.DataDir, checkpointFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return newCheckpoint(), nil
	}
	if err != nil {
		return checkpoint{}, fmt.Errorf("read checkpoint: %w", err)
	}
	var loaded checkpoint
	if err := Decode(data, &loaded); err != nil {
		return checkpoint{}, fmt.Errorf("decode checkpoint %s: %w: %w", path, errCorrupt, err)
	}
	if loaded.Version != checkpointVersion || loaded.Claims == nil {
		return checkpoint{}, fmt.Errorf("decode checkpoint %s: %w: has version %d, this driver supports %d with a list of claims", path, errCorrupt, loaded.Version, checkpointVersion)
	}
	for uid, claim := range loaded.Claims {
		if !claim.complete() {
			return checkpoint{}, fmt.Errorf("decode checkpoint %s: %w: claim %s has no name, or no devices with names", path, errCorrupt, uid)
		}
	}
	return c.checked(path, loaded)
}

// checked verifies the checksum of a checkpoint. A checkpoint without a
// checksum was written by the previous version and is accepted.
func (c Config) checked(path string, loaded checkpoint) (checkpoint, error) {
	if c.OlderCheckpoint || loaded.Checksum == "" {
		if fault.DropsOlderCheckpoint && !c.OlderCheckpoint {
			return newCheckpoint(), nil
		}
		loaded.Checksum = ""
		return loaded, nil
	}
	sum, err := loaded.sum()
	if err != nil {
		return checkpoint{}, err
	}
	if sum != loaded.Checksum {
		return checkpoint{}, fmt.Errorf("decode checkpoint %s: %w: its checksum is %s, not %s", path, errCorrupt, sum, loaded.Checksum)
	}
	return loaded, nil
}

// complete reports whether a claim has all fields that a prepared claim has.
func (c preparedClaim) complete() bool {
	nameless := func(d preparedDevice) bool { return d.ClaimUID == "" || d.Request == "" || d.Device.Device == "" }
	return c.Namespace != "" && c.Name != "" && len(c.Devices) > 0 && !slices.ContainsFunc(c.Devices, nameless)
}

// save replaces the checkpoint file. After a crash at any point the file
// contains either the old content or the new content.
func (c checkpoint) save(config Config) error {
	c.Checksum = ""
	if !config.OlderCheckpoint {
		var err error
		if c.Checksum, err = c.sum(); err != nil {
			return err
		}
	}
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("encode checkpoint: %w", err)
	}
	if err := WriteFile(filepath.Join(config.DataDir, checkpointFile), data); err != nil {
		return fmt.Errorf("write checkpoint: %w", err)
	}
	return nil
}

// with returns a checkpoint with changed claims. It adds the partitions that
// the change creates and destroys to the counts.
func (c checkpoint) with(change func(map[types.UID]preparedClaim)) checkpoint {
	next := c
	next.Claims = maps.Clone(c.Claims)
	change(next.Claims)
	before, after := c.partitions(), next.partitions()
	for device := range after {
		if _, ok := before[device]; !ok {
			next.Created++
		}
	}
	for device := range before {
		if _, ok := after[device]; !ok {
			next.Destroyed++
		}
	}
	return next
}
