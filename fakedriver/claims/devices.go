package claims

import (
	"fmt"
	"strconv"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/fakedriver/devenv"
)

// allocated returns what the claim's allocation gives it of this driver,
// without the attributes of the devices.
func (s *Store) allocated(claim *resourceapi.ResourceClaim) (preparedClaim, error) {
	out := preparedClaim{Namespace: claim.Namespace, Name: claim.Name}
	if claim.Status.Allocation == nil {
		return out, fmt.Errorf("prepare claim %s: it is not allocated", out)
	}
	for _, result := range claim.Status.Allocation.Devices.Results {
		if result.Driver != s.config.Driver {
			continue
		}
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
			},
			AdminAccess: ptr.Deref(result.AdminAccess, false),
		})
	}
	return out, nil
}

// describe adds the attributes of the devices, which must exist.
func (s *Store) describe(claim preparedClaim) error {
	for i := range claim.Devices {
		wanted := &claim.Devices[i].Device
		device := s.config.Inventory.Device(wanted.Device)
		if device == nil || wanted.Pool != s.config.Pool {
			return fmt.Errorf("prepare claim %s, request %s: this node has no device %s/%s/%s",
				claim, wanted.Request, wanted.Driver, wanted.Pool, wanted.Device)
		}
		wanted.Attributes = attributeStrings(device)
	}
	return nil
}

// result is what the kubelet wants to know about a prepared claim.
func (s *Store) result(claim preparedClaim) []kubeletplugin.Device {
	var devices []kubeletplugin.Device
	for _, device := range claim.Devices {
		prepared := kubeletplugin.Device{
			Requests:     []string{device.Request},
			PoolName:     device.Pool,
			DeviceName:   device.Device.Device,
			CDIDeviceIDs: []string{s.specs.qualifiedName(device)},
		}
		if device.ShareID != "" {
			prepared.ShareID = ptr.To(types.UID(device.ShareID))
		}
		devices = append(devices, prepared)
	}
	return devices
}

// attributeStrings returns a device's attributes for people and tests to read.
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
