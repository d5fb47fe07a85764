package main

import (
	"path/filepath"
	"strings"
)

// kind says what a file describes.
type kind int

const (
	configFile  kind = iota // config.json: the container, of which the process is one field
	processFile             // process.json: the process itself
)

// valued are runc's flags that take a value, so that the value is not mistaken
// for the command or for an argument.
var valued = map[string]bool{
	// before the command
	"log": true, "log-format": true, "root": true, "criu": true, "rootless": true,
	// create, run and restore
	"bundle": true, "b": true, "console-socket": true, "pidfd-socket": true, "pid-file": true, "preserve-fds": true,
	"image-path": true, "work-path": true, "parent-path": true, "manage-cgroups-mode": true, "empty-ns": true,
	"lsm-profile": true, "lsm-mount-context": true,
	// exec
	"process": true, "p": true, "cwd": true, "env": true, "e": true, "user": true, "u": true, "additional-gids": true,
	"g": true, "process-label": true, "apparmor": true, "cap": true, "c": true, "cgroup": true,
}

// subject returns the file which the command described by args is about to read
// capabilities from, "" if there is none.
func subject(args []string) (string, kind) {
	_, rest := flags(args)
	if len(rest) == 0 {
		return "", configFile
	}
	switch command, rest := rest[0], rest[1:]; command {
	case "create", "run", "restore":
		// The container's name may stand before or between the flags.
		bundle := "."
		for len(rest) > 0 {
			var set map[string]string
			if set, rest = flags(rest); len(rest) > 0 {
				rest = rest[1:]
			}
			bundle = either(set, "bundle", "b", bundle)
		}
		return filepath.Join(bundle, "config.json"), configFile
	case "exec":
		// What follows the container's name is the user's command line, whose
		// flags are none of runc's.
		set, _ := flags(rest)
		return either(set, "process", "p", ""), processFile
	}
	return "", configFile
}

// flags reads flags up to the first argument that is none and returns them with
// their values, and the rest.
func flags(args []string) (set map[string]string, rest []string) {
	set = map[string]string{}
	for len(args) > 0 {
		arg := args[0]
		if len(arg) < 2 || arg[0] != '-' {
			return set, args
		}
		args = args[1:]
		if arg == "--" {
			return set, args
		}
		name, value, inline := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
		if valued[name] && !inline && len(args) > 0 {
			value, args = args[0], args[1:]
		}
		set[name] = value
	}
	return set, nil
}

// either returns the flag's value by its long or its short name, or else the
// default.
func either(set map[string]string, long, short, otherwise string) string {
	if value, ok := set[long]; ok {
		return value
	}
	if value, ok := set[short]; ok {
		return value
	}
	return otherwise
}
