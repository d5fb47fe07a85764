// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"encoding/json"
	"hash/crc32"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/nodeagent/api"
)

func (n *node) write(path, content string) {
	n.t.Helper()
	n.Expect(os.MkdirAll(filepath.Dir(path), 0o755)).To(Succeed())
	n.Expect(os.WriteFile(path, []byte(content), 0o600)).To(Succeed())
}

const validSpec = `{"cdiVersion": "0.6.0", "kind": "example.com/gpu", "devices": [
  {"name": "a", "containerEdits": {"env": ["A=1"]}}, {"name": "b", "containerEdits": {"env": ["B=1"]}}]}`

func TestCDIFiles(t *testing.T) {
	n := newNode(t)
	dynamic, static := n.config.CDIDirs[0], n.config.CDIDirs[1]
	n.Expect(n.cdiFiles()).To(BeEmpty(), "the directories do not exist")
	n.write(filepath.Join(dynamic, "b.json"), validSpec)
	n.write(filepath.Join(dynamic, "invalid.yaml"), "cdiVersion: 0.6.0\nkind: nonsense\ndevices: []\n")
	n.write(filepath.Join(dynamic, "large.json"), strings.Repeat(" ", 5<<20))
	n.write(filepath.Join(dynamic, "ignored.txt"), validSpec)
	n.write(filepath.Join(dynamic, "folder.json", "a.json"), validSpec)
	n.write(filepath.Join(static, "a.yaml"), "cdiVersion: 0.6.0\nkind: example.com/nic\ndevices:\n- name: c\n  containerEdits: {env: [C=1]}\n")

	files := n.cdiFiles()
	n.Expect(files).To(HaveLen(4))
	n.Expect(files[0]).To(Equal(api.CDIFile{
		Path: filepath.Join(dynamic, "b.json"), Size: int64(len(validSpec)), Devices: []string{"example.com/gpu=a", "example.com/gpu=b"},
		SHA256: files[0].SHA256,
	}))
	n.Expect(files[0].SHA256).To(HaveLen(64))
	n.Expect(files[1]).To(And(HaveField("Error", ContainSubstring("invalid vendor")), HaveField("Devices", BeEmpty()), HaveField("SHA256", HaveLen(64))))
	n.Expect(files[2].Error).To(ContainSubstring("has more than 4194304 bytes"))
	n.Expect(files[3].Devices).To(Equal([]string{"example.com/nic=c"}))

	n.write(filepath.Join(dynamic, "b.json"), strings.Replace(validSpec, "A=1", "A=2", 1))
	n.Expect(n.cdiFiles()[0].SHA256).NotTo(Equal(files[0].SHA256))
}

// hide sends a request to hide a file as it is now.
func (n *node) hide(files ...api.CDIFile) {
	n.t.Helper()
	var request api.CDIFileVersions
	for _, file := range files {
		request.Files = append(request.Files, api.CDIFileVersion{Path: file.Path, SHA256: file.SHA256})
	}
	get[api.Empty](n, api.PathHideCDI, request)
}

// nodeWithHiddenFile returns a node with two CDI files, of which the first one, lost, is hidden.
func nodeWithHiddenFile(t *testing.T) (n *node, lost, kept string, files []api.CDIFile) {
	n = newNode(t)
	lost, kept = filepath.Join(n.config.CDIDirs[0], "a.json"), filepath.Join(n.config.CDIDirs[0], "b.json")
	n.write(lost, validSpec)
	n.write(kept, validSpec)
	files = n.cdiFiles()
	n.hide(files[0])
	return n, lost, kept, files
}

func TestHiddenFilesAreRestored(t *testing.T) {
	n, lost, kept, files := nodeWithHiddenFile(t)
	n.Expect(n.cdiFiles()).To(Equal(files[1:]), "container runtimes do not find it")
	get[api.Empty](n, api.PathRestoreCDI, api.CDIPaths{Paths: []string{lost, kept}})
	n.Expect(n.cdiFiles()).To(Equal(files))
	get[api.Empty](n, api.PathRestoreCDI, api.CDIPaths{Paths: []string{lost}})
	n.Expect(n.cdiFiles()).To(Equal(files), "restoring twice has no effect")

	n.hide(files...)
	written := strings.Replace(validSpec, "A=1", "A=2", 1)
	n.write(lost, written)
	n.Expect(n.config.RestoreHidden()).To(Succeed())
	now := n.cdiFiles()
	n.Expect(now).To(HaveLen(2))
	n.Expect(now[0].SHA256).NotTo(Equal(files[0].SHA256), "a file that was written meanwhile is kept")
	n.Expect(now[1]).To(Equal(files[1]))
	entries, err := os.ReadDir(n.config.CDIDirs[0])
	n.Expect(err).NotTo(HaveOccurred())
	n.Expect(entries).To(HaveLen(2), "no hidden file is left")
}

func TestHiddenFilesAreDiscarded(t *testing.T) {
	n, lost, kept, files := nodeWithHiddenFile(t)
	for range 2 {
		get[api.Empty](n, api.PathDiscardCDI, api.CDIPaths{Paths: []string{lost, kept}})
		n.Expect(n.cdiFiles()).To(Equal(files[1:]), "a file that is not hidden is kept")
	}
	n.Expect(n.config.RestoreHidden()).To(Succeed())
	get[api.Empty](n, api.PathRestoreCDI, api.CDIPaths{Paths: []string{lost}})
	n.Expect(n.cdiFiles()).To(Equal(files[1:]))
	status, _ := n.refused(api.PathDiscardCDI, api.CDIPaths{Paths: []string{"/etc/passwd"}})
	n.Expect(status).To(Equal(http.StatusBadRequest))
}

// Only files of the directory that a reboot empties are hidden, as they were
// read, and all of a request or none.
func TestFilesThatAreNotHidden(t *testing.T) {
	n := newNode(t)
	dynamic, static := n.config.CDIDirs[0], n.config.CDIDirs[1]
	for _, path := range []string{filepath.Join(dynamic, "a.json"), filepath.Join(dynamic, "b.json"), filepath.Join(dynamic, "other.txt"), filepath.Join(dynamic, "sub", "a.json"), filepath.Join(static, "a.json")} {
		n.write(path, validSpec)
	}
	good := n.cdiFiles()[0]
	for name, test := range map[string]struct{ path, sha256, want string }{
		"another directory":  {filepath.Join(static, "a.json"), good.SHA256, "is not a CDI file in"},
		"a path with dots":   {dynamic + "/../cdi/a.json", good.SHA256, "is not a CDI file in"},
		"a folder":           {filepath.Join(dynamic, "sub", "a.json"), good.SHA256, "is not a CDI file in"},
		"not a CDI file":     {filepath.Join(dynamic, "other.txt"), good.SHA256, "is not a CDI file in"},
		"a missing file":     {filepath.Join(dynamic, "none.json"), good.SHA256, "does not exist"},
		"a changed file":     {filepath.Join(dynamic, "b.json"), strings.Repeat("0", 64), "has changed"},
		"an unknown content": {filepath.Join(dynamic, "b.json"), "", "has changed"},
	} {
		t.Run(name, func(t *testing.T) {
			one := *n
			one.WithT, one.t = NewWithT(t), t
			before := one.cdiFiles()
			status, message := one.refused(api.PathHideCDI, api.CDIFileVersions{Files: []api.CDIFileVersion{{Path: good.Path, SHA256: good.SHA256}, {Path: test.path, SHA256: test.sha256}}})
			one.Expect(status).To(Equal(http.StatusBadRequest))
			one.Expect(message).To(ContainSubstring(test.want))
			one.Expect(one.cdiFiles()).To(Equal(before), "none of the files is hidden")
		})
	}
	status, _ := n.refused(api.PathRestoreCDI, api.CDIPaths{Paths: []string{filepath.Join(static, "a.json")}})
	n.Expect(status).To(Equal(http.StatusBadRequest))
}

// The texts are what kubelets write: without and with a share id, with a pod, and
// with the operations that a kubelet of 1.37 skips.
const (
	storedFor134 = `{"kind":"DRACheckpoint","apiVersion":"checkpoint.dra.kubelet.k8s.io/v1","ClaimInfoStateList":[` +
		`{"ClaimUID":"uid-b","ClaimName":"b","Namespace":"default","PodUIDs":{"pod-2":{},"pod-1":{}},"DriverState":{"gpu.example.com":{"Devices":[` +
		`{"PoolName":"node-1","DeviceName":"gpu-0","ShareID":null,"RequestNames":["gpu"],"CDIDeviceIDs":["example.com/gpu=a","example.com/gpu=b"]},` +
		`{"PoolName":"node-1","DeviceName":"gpu-1","ShareID":"share-1","RequestNames":null,"CDIDeviceIDs":null}]}}}]}`
	storedFor137 = `{"kind":"DRACheckpoint","apiVersion":"checkpoint.dra.kubelet.k8s.io/v1","ClaimInfoStateList":[` +
		`{"ClaimUID":"uid-b","ClaimName":"b","Namespace":"default","PodUIDs":{},"DriverState":{"gpu.example.com":{"Devices":null,"skipNodeOperations":["*"]},"nic.example.com":{"Devices":null}}},` +
		`{"ClaimUID":"uid-a","ClaimName":"a","Namespace":"default","PodUIDs":{},"DriverState":{}}]}`
)

// store writes a checkpoint as the kubelet does.
func (n *node) store(data string, checksum uint32) {
	n.t.Helper()
	content, err := json.Marshal(map[string]any{"Data": data, "Checksum": checksum})
	n.Expect(err).NotTo(HaveOccurred())
	n.write(n.path("dra_manager_state"), string(content))
}

func TestKubeletClaims(t *testing.T) {
	n := newNode(t)
	n.store(storedFor134, crc32.ChecksumIEEE([]byte(storedFor134)))
	n.Expect(get[[]api.KubeletClaim](n, api.PathClaims, api.Empty{})).To(Equal([]api.KubeletClaim{{
		Claim: api.Claim{Namespace: "default", Name: "b", UID: "uid-b"}, Pods: []string{"pod-1", "pod-2"},
		Drivers: map[string][]api.Device{driver: {
			{Requests: []string{"gpu"}, Pool: "node-1", Device: "gpu-0", CDIDevices: []string{"example.com/gpu=a", "example.com/gpu=b"}},
			{Pool: "node-1", Device: "gpu-1", ShareID: "share-1"},
		}},
	}}))
	n.store(storedFor137, crc32.ChecksumIEEE([]byte(storedFor137)))
	n.Expect(get[[]api.KubeletClaim](n, api.PathClaims, api.Empty{})).To(Equal([]api.KubeletClaim{
		{Claim: api.Claim{Namespace: "default", Name: "a", UID: "uid-a"}},
		{Claim: api.Claim{Namespace: "default", Name: "b", UID: "uid-b"}, Drivers: map[string][]api.Device{driver: nil, "nic.example.com": nil}},
	}))
	empty := `{"kind":"DRACheckpoint","apiVersion":"checkpoint.dra.kubelet.k8s.io/v1","ClaimInfoStateList":null}`
	n.store(empty, crc32.ChecksumIEEE([]byte(empty)))
	n.Expect(get[[]api.KubeletClaim](n, api.PathClaims, api.Empty{})).To(BeEmpty())
}

func TestCorruptCheckpoint(t *testing.T) {
	n := newNode(t)
	refused := func(part string) {
		n.t.Helper()
		code, message := n.refused(api.PathClaims, api.Empty{})
		n.Expect(code).To(Equal(http.StatusInternalServerError))
		n.Expect(message).To(ContainSubstring(part))
	}
	refused("no such file")
	n.store(storedFor134, 1)
	refused("its checksum is 1 and must be")
	n.write(n.path("dra_manager_state"), `{"version":"v1","entries":{}}`)
	refused("it has no field Data")
	n.write(n.path("dra_manager_state"), `{`)
	refused("unexpected end")
	n.store("[", crc32.ChecksumIEEE([]byte("[")))
	refused("decode the kubelet's checkpoint")
}
