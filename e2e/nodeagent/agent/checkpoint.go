// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"slices"

	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/nodeagent/api"
)

// maxCheckpoint is the maximum size of the kubelet's checkpoint, in bytes.
const maxCheckpoint = 64 << 20

// checkpoint is the file in which kubelets from 1.34 to 1.37 store claims. See
// pkg/kubelet/cm/dra/state in k8s.io/kubernetes. Fields that other releases add
// are ignored, as kubelets do.
type checkpoint struct {
	// Data is a checkpointData as JSON.
	Data string
	// Checksum is the CRC-32 of Data.
	Checksum uint32
}

type checkpointData struct {
	ClaimInfoStateList []claimState
}

type claimState struct {
	ClaimUID, ClaimName, Namespace string
	PodUIDs                        map[string]struct{}
	DriverState                    map[string]struct {
		Devices []struct {
			PoolName, DeviceName       string
			ShareID                    *string
			RequestNames, CDIDeviceIDs []string
		}
	}
}

// kubeletClaims returns the claims in the checkpoint of the kubelet, sorted by
// namespace and name.
func (c Config) kubeletClaims() ([]api.KubeletClaim, error) {
	content, err := readLimited(c.checkpoint(), maxCheckpoint)
	if err != nil {
		return nil, fmt.Errorf("read the kubelet's checkpoint: %w", err)
	}
	return decodeCheckpoint(content)
}

func decodeCheckpoint(content []byte) ([]api.KubeletClaim, error) {
	var stored checkpoint
	if err := json.Unmarshal(content, &stored); err != nil {
		return nil, fmt.Errorf("decode the kubelet's checkpoint: %w", err)
	}
	if stored.Data == "" {
		return nil, errors.New("decode the kubelet's checkpoint: it has no field Data, which kubelets of all supported releases write")
	}
	if sum := crc32.ChecksumIEEE([]byte(stored.Data)); sum != stored.Checksum {
		return nil, fmt.Errorf("decode the kubelet's checkpoint: its checksum is %d and must be %d", stored.Checksum, sum)
	}
	var data checkpointData
	if err := json.Unmarshal([]byte(stored.Data), &data); err != nil {
		return nil, fmt.Errorf("decode the kubelet's checkpoint: %w", err)
	}
	var all []api.KubeletClaim
	for _, state := range data.ClaimInfoStateList {
		all = append(all, state.claim())
	}
	slices.SortFunc(all, func(a, b api.KubeletClaim) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return all, nil
}

func (s claimState) claim() api.KubeletClaim {
	claim := api.KubeletClaim{
		Claim:   api.Claim{Namespace: s.Namespace, Name: s.ClaimName, UID: s.ClaimUID},
		Pods:    slices.Sorted(maps.Keys(s.PodUIDs)),
		Drivers: map[string][]api.Device{},
	}
	for driver, state := range s.DriverState {
		claim.Drivers[driver] = nil
		for _, device := range state.Devices {
			claim.Drivers[driver] = append(claim.Drivers[driver], api.Device{
				Requests: device.RequestNames, Pool: device.PoolName, Device: device.DeviceName,
				CDIDevices: device.CDIDeviceIDs, ShareID: ptr.Deref(device.ShareID, ""),
			})
		}
	}
	return claim
}

// readLimited reads a file that has at most limit bytes.
func readLimited(path string, limit int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(content)) > limit {
		err = fmt.Errorf("%s has more than %d bytes", path, limit)
	}
	return content, err
}
