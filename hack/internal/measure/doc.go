// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package measure observes commands that run specs: their tasks, and the processors
// and the memory of the machine meanwhile. It writes tables of several rounds into a
// page that several commands share.
package measure
