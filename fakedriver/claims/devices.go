// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/fakedriver/devenv"
	"github.com/draconform/draconform/internal/fault"
	"github.com/draconform/draconform/internal/variant"
)

// allocated returns the devices of this driver in the claim's allocation,
// without the data that only the inventory contains.
func (s *Store) allocated(claim *resourceapi.ResourceClaim) (preparedClaim, error) {
	out := preparedClaim{Namespace: claim.Namespace, Name: claim.Name}
	if claim.Status.Allocation == nil {
		return out, fmt.Errorf("prepare claim %s: it is not allocated", out)
	}
	for _, result := range heeded(claim.Status.Allocation.Devices.Results) {
		if result.Driver != s.config.Driver && !fault.PreparesResultsOfOtherDrivers {
			continue
		}
		configs, err := s.configs(claim.Status.Allocation.Devices.Config, result)
		if err != nil {
			return out, fmt.Errorf("prepare claim %s, request %s: %w", out, result.Request, err)
		}
		if fault.ConfiguresFirstDeviceOnly && len(out.Devices) > 0 {
			configs = nil
		}
		configs = s.kept(result.Device, configs)
		out.Devices = append(out.Devices, preparedDevice{
			Device: devenv.Device{
				Driver:         result.Driver,
				Pool:           result.Pool,
				Device:         result.Device,
				Request:        result.Request,
				ClaimNamespace: claim.Namespace,
				ClaimName:      claim.Name,
				ClaimUID:       string(claim.UID),
				ShareID:        string(ptr.Deref(result.ShareID, "")),
				Configs:        configs,
			},
			AdminAccess: ptr.Deref(result.AdminAccess, false),
			Consumed:    result.ConsumedCapacity,
		})
	}
	return out, nil
}

// configs returns the parameters for this driver that apply to a result.
// Parameters of a DeviceClass come before those of the claim, which may
// override them.
func (s *Store) configs(all []resourceapi.DeviceAllocationConfiguration, result resourceapi.DeviceRequestAllocationResult) ([]devenv.Config, error) {
	var configs []devenv.Config
	for _, config := range resourceclaim.ConfigForResult(s.misread(all, result), result) {
		if fault.RejectsOtherParameters && config.Opaque.Driver != s.config.Driver {
			return nil, fmt.Errorf("decode parameters %s: driver %s is not known", config.Source, config.Opaque.Driver)
		}
		if config.Opaque.Driver != s.config.Driver || ignored(config, result) {
			continue
		}
		var parameters bytes.Buffer
		if err := json.Compact(&parameters, config.Opaque.Parameters.Raw); err != nil {
			return nil, fmt.Errorf("decode parameters %s: %w", config.Source, err)
		}
		configs = append(configs, devenv.Config{Source: string(config.Source), Parameters: unquoted(parameters.Bytes())})
	}
	slices.SortStableFunc(configs, func(a, b devenv.Config) int { return rank(a) - rank(b) })
	return configs, nil
}

func rank(config devenv.Config) int {
	if config.Source == string(resourceapi.AllocationConfigSourceClass) {
		return 0
	}
	return 1
}

// describe adds the inventory's data to the devices. It returns an error if
// this node does not have a device.
func (s *Store) describe(claim preparedClaim) error {
	for i := range claim.Devices {
		wanted := &claim.Devices[i]
		if reason, rejected := s.devices.Rejected[wanted.Device.Device]; rejected && wanted.Pool == s.devices.Pool {
			return fmt.Errorf("prepare claim %s, request %s: device %s: %s", claim, wanted.Request, wanted.Device.Device, reason)
		}
		if wanted.Pool != s.devices.Pool || !s.lookUp(wanted) {
			return fmt.Errorf("prepare claim %s, request %s: this node has no device %s/%s/%s",
				claim, wanted.Request, wanted.Driver, wanted.Pool, wanted.Device.Device)
		}
		if _, err := wanted.Variable(); err != nil {
			return fmt.Errorf("prepare claim %s, request %s: %w", claim, wanted.Request, err)
		}
	}
	return nil
}

// lookUp adds the inventory's data to a device. It reports whether the device
// exists on this node.
func (s *Store) lookUp(wanted *preparedDevice) bool {
	device := s.devices.Inventory.Device(wanted.Device.Device)
	if device == nil {
		return false
	}
	if part, spans := s.devices.Parts[device.Name]; spans {
		wanted.Part = &part
	}
	wanted.Attributes = attributeStrings(device)
	wanted.Metadata = make(map[string]resourceapi.DeviceAttribute, len(device.Attributes))
	for name, value := range device.Attributes {
		wanted.Metadata[string(name)] = value
	}
	wanted.Partition = s.isPartition(device)
	return true
}

// result returns the prepared devices of a claim in the form of the kubelet
// plugin library.
func (s *Store) result(claim preparedClaim) []kubeletplugin.Device {
	if fault.GivesNoDevices {
		return nil
	}
	var devices []kubeletplugin.Device
	for i, device := range claim.Devices {
		if fault.GivesAdminAccessNoDevices && device.AdminAccess {
			continue
		}
		prepared := kubeletplugin.Device{
			Requests:     []string{device.Request},
			PoolName:     device.Pool,
			DeviceName:   device.Device.Device,
			CDIDeviceIDs: []string{s.specs.qualifiedName(device)},
			Metadata:     &kubeletplugin.DeviceMetadata{Attributes: device.Metadata},
		}
		if device.ShareID != "" {
			prepared.ShareID = ptr.To(types.UID(device.ShareID))
		}
		if fault.NamesAnotherPool {
			prepared.PoolName = "another"
		}
		if fault.GivesMetadataOfFirstDevice {
			prepared.Metadata.Attributes = claim.Devices[0].Metadata
		}
		if fault.MisstatesMetadata {
			prepared.Metadata.Attributes = misstated(device.Metadata)
		}
		if variant.GivesDevicesOnce {
			prepared.CDIDeviceIDs = s.givenOnce(claim, i)
		}
		devices = append(devices, prepared)
	}
	if variant.AnswersBackwards {
		slices.Reverse(devices)
	}
	return devices
}

// misstated returns attributes with other values.
func misstated(attributes map[string]resourceapi.DeviceAttribute) map[string]resourceapi.DeviceAttribute {
	others := map[string]resourceapi.DeviceAttribute{}
	for name := range attributes {
		others[name] = resourceapi.DeviceAttribute{StringValue: ptr.To("another")}
	}
	return others
}

// givenOnce returns the CDI devices of all devices of a request for the first of
// them, and none for the others. A container gets all devices of a request or
// none of them.
func (s *Store) givenOnce(claim preparedClaim, at int) []string {
	request := claim.Devices[at].Request
	same := func(d preparedDevice) bool { return d.Request == request }
	if slices.IndexFunc(claim.Devices, same) < at {
		return nil
	}
	var ids []string
	for _, device := range claim.Devices {
		if same(device) {
			ids = append(ids, s.specs.qualifiedName(device))
		}
	}
	return ids
}

// attributeStrings returns a device's attributes as readable strings.
func attributeStrings(device *resourceapi.Device) map[string]string {
	out := make(map[string]string, len(device.Attributes))
	for name, value := range device.Attributes {
		switch {
		case value.StringValue != nil:
			out[string(name)] = *value.StringValue
		case value.VersionValue != nil:
			out[string(name)] = *value.VersionValue
		case value.IntValue != nil:
			out[string(name)] = strconv.FormatInt(*value.IntValue, 10)
		case value.BoolValue != nil:
			out[string(name)] = strconv.FormatBool(*value.BoolValue)
		}
	}
	return out
}
