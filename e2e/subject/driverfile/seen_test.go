// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driverfile_test

import (
	"encoding/json"
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/dynamic-resource-allocation/api/metadata"
	"k8s.io/dynamic-resource-allocation/api/metadata/v1beta1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/e2e/workload/report"
)

const driverName = "gpu.example.com"

func device(name string) audit.DeviceID {
	return audit.DeviceID{Driver: driverName, Pool: "node-1", Device: name}
}

// offered returns devices with an integer attribute index and string attributes
// uuid and model. The model is the same for all.
func offered(string) (map[audit.DeviceID]resourceapi.Device, error) {
	all := map[audit.DeviceID]resourceapi.Device{}
	for i, name := range []string{"gpu-0", "gpu-1"} {
		all[device(name)] = resourceapi.Device{Name: name, Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
			"index":              {IntValue: ptr.To(int64(i))},
			driverName + "/uuid": {StringValue: ptr.To("uuid-of-" + name)},
			"model":              {StringValue: ptr.To("x")},
		}}
	}
	return all, nil
}

// metadataFile returns the path and the content of a device metadata file.
func metadataFile(t *testing.T, driver, request string, names ...string) (path, content string) {
	t.Helper()
	of := v1beta1.DeviceMetadata{
		TypeMeta: metav1.TypeMeta{APIVersion: v1beta1.SchemeGroupVersion.String(), Kind: "DeviceMetadata"},
		Requests: []v1beta1.DeviceMetadataRequest{{Name: request}},
	}
	for _, name := range names {
		of.Requests[0].Devices = append(of.Requests[0].Devices, v1beta1.Device{Driver: driver, Pool: "node-1", Name: name})
	}
	encoded, err := json.Marshal(of)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return metadata.ResourceClaimFilePath(driver, "claim", request), string(encoded)
}

func TestSeen(t *testing.T) {
	own, ownContent := metadataFile(t, driverName, "r", "gpu-0", "gpu-1")
	other, otherContent := metadataFile(t, "nic.example.com", "r", "nic-0")
	for name, test := range map[string]struct {
		containers string
		report     report.Report
		want       driverfile.Seen
	}{
		"nothing": {"- metadata: true\n- environment: {name: GPU, value: '(?P<device>.+)'}", report.Report{Env: map[string]string{"HOME": "/"}}, driverfile.Seen{}},
		"metadata files of the driver": {
			"- metadata: true", report.Report{Metadata: map[string]string{own: ownContent, other: otherContent}},
			driverfile.Seen{Devices: []audit.DeviceID{device("gpu-0"), device("gpu-1")}},
		},
		"the first source with devices counts": {
			"- metadata: true\n- environment: {name: GPU, value: '(?P<pool>.+)/(?P<device>.+)'}\n- environment: {name: OTHER, value: '(?P<device>.+)'}",
			report.Report{Env: map[string]string{"GPU": "node-1/gpu-1", "OTHER": "gpu-0"}},
			driverfile.Seen{Devices: []audit.DeviceID{device("gpu-1")}},
		},
		"device in the value of a variable": {
			`- environment: {name: 'GPU_DEVICE_\d+', value: '(?P<device>.+)'}`,
			report.Report{Env: map[string]string{"GPU_DEVICE_0": "gpu-0", "GPU_DEVICE_0_CLAIM": "uid", "NO_GPU_DEVICE_0": "a"}},
			driverfile.Seen{Devices: []audit.DeviceID{device("gpu-0")}},
		},
		"device in the name of a variable": {
			"- environment: {name: 'DEVICE_(?P<device>.+)'}", report.Report{Env: map[string]string{"DEVICE_gpu-1": "0000:01:00.0"}},
			driverfile.Seen{Devices: []audit.DeviceID{device("gpu-1")}},
		},
		"list of attributes": {
			"- environment: {name: VISIBLE_GPUS, value: '(?P<attribute>.+)', separator: ','}\n  attribute: $(name)/index",
			report.Report{Env: map[string]string{"VISIBLE_GPUS": "1,0"}},
			driverfile.Seen{Devices: []audit.DeviceID{device("gpu-1"), device("gpu-0")}},
		},
		"empty list": {
			"- environment: {name: VISIBLE_GPUS, value: '(?P<attribute>.+)', separator: ','}\n  attribute: index",
			report.Report{Env: map[string]string{"VISIBLE_GPUS": ""}}, driverfile.Seen{},
		},
		"attribute without a domain in the file": {
			"- environment: {name: GPU, value: '(?P<attribute>.+)'}\n  attribute: uuid", report.Report{Env: map[string]string{"GPU": "uuid-of-gpu-1"}},
			driverfile.Seen{Devices: []audit.DeviceID{device("gpu-1")}},
		},
		"variables of other drivers": {
			"- environment: {name: DEVICE_.+, value: '(?P<driver>.+):(?P<pool>.+)/(?P<device>.+)'}",
			report.Report{Env: map[string]string{"DEVICE_0": "gpu.example.com:node-1/gpu-0", "DEVICE_1": "nic.example.com:node-1/nic-0"}},
			driverfile.Seen{Devices: []audit.DeviceID{device("gpu-0")}, Others: []audit.DeviceID{{Driver: "nic.example.com", Pool: "node-1", Device: "nic-0"}}},
		},
		"device nodes": {
			`- deviceNodes: {path: '/dev/gpu(?P<attribute>\d+)'}` + "\n  attribute: index", report.Report{DeviceNodes: []string{"/dev/gpu1", "/dev/gpuctl", "/dev/null"}},
			driverfile.Seen{Devices: []audit.DeviceID{device("gpu-1")}},
		},
		"mounts": {
			"- mounts: {path: '/run/$(name)/(?P<device>[^/]+)'}", report.Report{Mounts: []string{"/", "/run/gpu.example.com/gpu-0", "/run/gpuXexample.com/gpu-1"}},
			driverfile.Seen{Devices: []audit.DeviceID{device("gpu-0")}},
		},
		"network interfaces that not every pod has": {
			"- interfaces: {name: '(?P<device>.+)'}", report.Report{Interfaces: []report.Interface{{Name: "lo"}, {Name: "eth0"}, {Name: "gpu-1"}}},
			driverfile.Seen{Devices: []audit.DeviceID{device("gpu-1")}, OfPod: true},
		},
		"addresses of network interfaces": {
			"- interfaces: {name: eth.+, address: '(?P<attribute>.+)', except: eth0}\n  attribute: uuid",
			report.Report{Interfaces: []report.Interface{{Name: "eth0", Address: "uuid-of-gpu-0"}, {Name: "eth1", Address: "uuid-of-gpu-1"}}},
			driverfile.Seen{Devices: []audit.DeviceID{device("gpu-1")}, OfPod: true},
		},
		"presence": {
			"- environment: {name: CPUSET_.+}\n  presence: true", report.Report{Env: map[string]string{"CPUSET_a": "1-2", "CPUSET_b": "3"}},
			driverfile.Seen{Unidentified: true},
		},
		"what could not be collected and is not needed": {
			"- environment: {name: GPU, value: '(?P<device>.+)'}", report.Report{Env: map[string]string{"GPU": "gpu-0"}, Errors: map[string]string{"mounts": "denied"}},
			driverfile.Seen{Devices: []audit.DeviceID{device("gpu-0")}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			seen, err := driver(t, "containers:\n"+test.containers).Seen(test.report, offered)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(seen).To(Equal(test.want))
		})
	}
}

// Something that cannot be read must not be mistaken for nothing.
func TestSeenErrors(t *testing.T) {
	path, _ := metadataFile(t, driverName, "r")
	for name, test := range map[string]struct {
		containers string
		report     report.Report
		want       string
	}{
		"a value that is not described": {
			"- environment: {name: GPU, value: 'gpu:(?P<device>.+)'}", report.Report{Env: map[string]string{"GPU": "none"}},
			`the container could not read its devices: [variable GPU has the value "none", which the driver file does not describe]`,
		},
		"no such device": {
			"- environment: {name: GPU, value: '(?P<device>.+)'}", report.Report{Env: map[string]string{"GPU": "gpu-7"}},
			"variable GPU with map[device:gpu-7] should be one device of driver gpu.example.com on the node, it is 0 of 2: []",
		},
		"several devices": {
			"- environment: {name: GPU, value: '(?P<attribute>.+)'}\n  attribute: model", report.Report{Env: map[string]string{"GPU": "x"}},
			"variable GPU with map[attribute:x] should be one device of driver gpu.example.com on the node, it is 2 of 2: [gpu.example.com/node-1/gpu-0 gpu.example.com/node-1/gpu-1]",
		},
		"an empty text identifies no device": {
			"- environment: {name: GPU, value: '(?P<device>.*)'}", report.Report{Env: map[string]string{"GPU": ""}}, "it is 0 of 2",
		},
		"device nodes that could not be listed": {
			"- deviceNodes: {path: '/dev/(?P<device>.+)'}", report.Report{Errors: map[string]string{"deviceNodes": "permission denied"}},
			"the container could not read its devices: [permission denied]",
		},
		"metadata that cannot be decoded": {
			"- metadata: true", report.Report{Metadata: map[string]string{path: "{}"}}, "could not read its devices: [decode " + path,
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := driver(t, "containers:\n"+test.containers).Seen(test.report, offered)
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(test.want)))
		})
	}
	d := driver(t, "containers:\n- environment: {name: GPU, value: '(?P<device>.+)'}")
	_, err := d.Seen(report.Report{Env: map[string]string{"GPU": "gpu-0"}}, func(string) (map[audit.DeviceID]resourceapi.Device, error) {
		return nil, errors.New("list slices: denied")
	})
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("variable GPU: find its device: list slices: denied")))
}
